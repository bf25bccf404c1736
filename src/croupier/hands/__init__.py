"""Hands of three, five and six cards: their names and their order.

`hand.Hand` is the value to work with. `lookup.three_cards`, `five_cards` and `six_cards` return
bare strengths quickly, and `lookup.evaluator(ranking)` does so under another ranking. `arrays`
ranks arrays of hands with NumPy.
"""
