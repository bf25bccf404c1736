"""Where the money is: accounts and entries, the journal that they follow from, and its stores."""
