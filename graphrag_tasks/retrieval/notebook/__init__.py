"""An index for people who calculate: data frames, graphs, pictures, modes side by side."""
