"""The page of a run or a comparison."""
