"""Random simulation of rounds, sessions and meters, beside the exact values of `odds`."""

from croupier.simulation.banking import bank_rounds
from croupier.simulation.meter_runs import run_meters
from croupier.simulation.sessions import play_sessions
from croupier.simulation.simulation import simulate

__all__ = ["bank_rounds", "play_sessions", "run_meters", "simulate"]
