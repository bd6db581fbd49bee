halfspace make
