"""Deals, settles, prices and audits Three Card Poker and Let It Ride by the book."""

__version__ = "0.1.0"
