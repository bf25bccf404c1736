"""The base of a rulebook's classes: frozen values that are fast to define.

A dataclass generates and compiles its own methods; for all the kinds of tables in a book that takes
half as long as importing NumPy. Here the methods are written once. `fields` and `replace` of
`dataclasses` work as usual.
"""

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from typing import Any, ClassVar, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Shape:
    """A frozen value, made from keywords; two of one class with equal fields are equal."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    kinds: ClassVar[dict[str, Any]]
    """The types of the fields by name."""
    defaults: ClassVar[dict[str, Any]]
    """The defaults of the optional fields."""

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)
        own = cls.__dataclass_fields__.items()
        cls.kinds = {name: field.type for name, field in own}
        defaults = {name: _default(field) for name, field in own}
        cls.defaults = {name: value for name, value in defaults.items() if value is not MISSING}

    def __init__(self, **values: Any) -> None:
        own = vars(self)
        own.update(self.defaults, **values)
        if own.keys() != self.kinds.keys():
            wrong = ", ".join(sorted(own.keys() ^ self.kinds.keys()))
            raise TypeError(f"{type(self).__name__} lacks or does not know {wrong}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"{name!r} can't be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.kinds))

    def __repr__(self) -> str:
        values = (f"{name}={getattr(self, name)!r}" for name in self.kinds)
        return f"{type(self).__name__}({', '.join(values)})"


def _default(field: "Field[Any]") -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
