"""penstock against ns-2.35, cell by cell.

The reference numbers stand in ``tests/data/ns2``; each of the modules `thesis_link`, `queue_law`, `red_family` and
`open_loop` says how the cells of the file of its name are set up here. ``python -m validation`` runs them all.
"""
