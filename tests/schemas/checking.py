"""Checks data against the schemas of the package."""

from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator

from croupier.schemas import schema


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def faults(name: str, value: Any) -> list[str]:
    """What is wrong with a value by a schema, in sentences that name the place."""
    return [
        f"{name}: {'.'.join(map(str, error.instance_path))}: {error.message[:200]}"
        for error in _validator(name).iter_errors(value)
    ]
