"""U. Bodin, O. Schelen, "Drop Strategies and Loss-rate Differentiation", 2001."""
