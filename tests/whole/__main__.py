"""Simulate a whole house on many seeds; `tests/whole/seeds.py` says how."""

from tests.whole.seeds import main

raise SystemExit(main())
