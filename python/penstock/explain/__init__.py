"""The explanations that `penstock explain` prints of schemes and conditioners."""
