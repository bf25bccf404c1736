"""The ledgers that tests of the server have, for tests of the house."""

from tests.server.conftest import store as store
