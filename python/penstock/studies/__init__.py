"""Many runs: comparisons and studies, their candidates, stores and tables."""
