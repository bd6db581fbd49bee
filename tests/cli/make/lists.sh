# Without a generator, make lists the generators.
halfspace make
