"""All tables of a house: those of the tables file, and those that operators opened since."""

from croupier.errors import CroupierError, Refused
from croupier.house.config import TABLES_MAX, Config, TableConfig, parse_config
from croupier.house.log import log
from croupier.ledger.audit import RulesOf


class Catalogue:
    """The tables of the house, also those that other processes have open."""

    def __init__(self, config: Config, rules_of: RulesOf) -> None:
        self._config, self._rules_of = config, rules_of
        self.configs = {table.id: table for table in config.tables}

    def new(self, text: str) -> TableConfig:
        """Return a new table as the tables file would have it, or refuse it."""
        found = parse_config(text, self._rules_of).tables
        if len(found) != 1:
            raise Refused("bad_fact", "describe one table", field="table")
        (config,) = found
        if len(self.configs) >= TABLES_MAX:
            raise Refused("quota", f"a house has at most {TABLES_MAX} tables", field="table")
        if config.id in self.configs:
            message = f"there is a table {config.id} already"
            raise Refused("table_taken", message, field="table")
        return config

    def add(self, id: str, text: str) -> None:
        """Add a table that an operator opened; one of the same id in the tables file wins."""
        if id in self.configs:
            return
        try:
            (config,) = parse_config(text, self._rules_of, anew=False).tables
        except (CroupierError, ValueError) as error:
            # Its book may have changed since it was checked.
            log("table_refused", table=id, because=str(error))
            return
        self.configs[id] = self._config.of_house(config)
