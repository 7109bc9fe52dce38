"""Growing the files of numbers that the package comes with."""
