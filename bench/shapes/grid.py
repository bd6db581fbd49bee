"""The grid of shapes, and the series of shapes that scaling is fitted on.

A shape is a dict: name, task (hinge, squared, logistic, softmax, rbf, knn), generator and parameters of its data
(data.py), C, gamma, k, and quick (part of --quick).
"""


def shape(name, task, generator, parameters, C=1, quick=False, **more):
    return dict(name=name, task=task, generator=generator, parameters=parameters, C=C, quick=quick, **more)


def each(losses, name, generator, parameters, C=1, quick=False):
    """The same data with several losses: h, s, l for hinge, squared hinge, logistic."""
    tasks = {"h": "hinge", "s": "squared", "l": "logistic"}
    return [shape(f"{name}-{tasks[c]}", tasks[c], generator, parameters, C, quick) for c in losses]


def linear():
    d = dict
    yield from each("h", "digits-60000x784", "strokes", d(rows=60000), C=1)
    yield from each("sl", "digits-6000x784", "strokes", d(rows=6000), C=0.01)
    yield from each("hsl", "integers-200x10000", "integers", d(rows=200, columns=10000, largest=999), quick=True)
    yield from each("sl", "ones-1e6x240000", "fields", d(rows=1000000, columns=240000, count=8))
    yield from each("hl", "text-34000x84000", "text", d(rows=34000, columns=84000, words=90), quick=True)
    yield from each("s", "text-11000x56000-20classes", "text", d(rows=11000, columns=56000, words=90, classes=20))
    yield from each("hl", "ones-11000x68", "fields", d(rows=11000, columns=68, count=30, noise=0.05), quick=True)
    yield from each("h", "dense-1000x60", "dense", d(rows=1000, columns=60, noise=0.1), quick=True)
    yield from each("h", "dense-1000x60-C100", "dense", d(rows=1000, columns=60, noise=0.1), C=100, quick=True)
    yield from each("h", "probes-2000x500", "probes", d(rows=2000, columns=500))
    # Extremes of rows and columns.
    yield from each("h", "dense-100x2", "dense", d(rows=100, columns=2), quick=True)
    yield from each("s", "dense-100x20000", "dense", d(rows=100, columns=20000, noise=0))
    yield from each("sl", "sparse-100x100000", "sparse", d(rows=100, columns=100000, density=0.1), C=1)
    yield from each("hl", "dense-1e6x2", "dense", d(rows=1000000, columns=2))
    yield from each("s", "dense-200000x20", "dense", d(rows=200000, columns=20))
    yield from each("h", "doubles-30000x100", "dense", d(rows=30000, columns=100, digits=17))
    yield from each("hs", "dense-1000x1000", "dense", d(rows=1000, columns=1000, noise=0.1), quick=True)
    # Density.
    yield from each("hl", "sparse-20000x1000-10%", "sparse", d(rows=20000, columns=1000, density=0.1))
    yield from each("s", "sparse-20000x10000-1%", "sparse", d(rows=20000, columns=10000, density=0.01))
    yield from each("h", "ones-100000x100000-5", "fields", d(rows=100000, columns=100000, count=5))
    # Conditioning, means.
    yield from each("sl", "spread-5000x50-1e4", "dense", d(rows=5000, columns=50, spread=1e4), quick=True)
    yield from each("h", "spread-5000x50-1e4", "dense", d(rows=5000, columns=50, spread=1e4), quick=True)
    yield from each("sl", "spread-5000x50-1e8", "dense", d(rows=5000, columns=50, spread=1e8), C=1e-3, quick=True)
    yield from each("hs", "correlated-5000x50-1e4", "dense", d(rows=5000, columns=50, correlated=1e4, digits=10), quick=True)
    yield from each("l", "correlated-5000x50-1e8", "dense", d(rows=5000, columns=50, correlated=1e8, digits=15), C=100, quick=True)
    yield from each("hsl", "means-5000x30-100", "dense", d(rows=5000, columns=30, mean=100), C=1, quick=True)
    # Label noise and C.
    yield from each("h", "separable-10000x50-C1e4", "dense", d(rows=10000, columns=50, noise=0), C=1e4)
    yield from each("h", "noise0.4-10000x50", "dense", d(rows=10000, columns=50, noise=0.4), quick=True)
    yield from each("hsl", "noise0.2-3000x40-C1e4", "dense", d(rows=3000, columns=40, noise=0.2), C=1e4, quick=True)
    yield from each("hsl", "noise0.2-3000x40-C1e-3", "dense", d(rows=3000, columns=40, noise=0.2), C=1e-3, quick=True)
    yield from each("h", "text-20000x30000-C100", "text", d(rows=20000, columns=30000, words=60, noise=0.1), C=100)
    # Classes.
    yield from each("h", "dense-10000x20-5classes", "dense", d(rows=10000, columns=20, classes=5), quick=True)
    yield from each("l", "dense-10000x20-30classes", "dense", d(rows=10000, columns=20, classes=30))
    yield from each("s", "sparse-10000x2000-30classes", "sparse", d(rows=10000, columns=2000, density=0.01, classes=30))


def softmax():
    d = dict
    yield shape("softmax-5000x50-5classes", "softmax", "dense", d(rows=5000, columns=50, classes=5), quick=True)
    yield shape("softmax-20000x20-10classes", "softmax", "dense", d(rows=20000, columns=20, classes=10), C=10)
    yield shape("softmax-digits-6000x784", "softmax", "strokes", d(rows=6000), C=1e-4)
    yield shape("softmax-text-8000x20000-20classes", "softmax", "text", d(rows=8000, columns=20000, words=60, classes=20))
    yield shape("softmax-1000x10-30classes", "softmax", "dense", d(rows=1000, columns=10, classes=30), quick=True)


def rbf():
    d = dict

    def one(name, generator, parameters, C, gamma, quick=False):
        return shape("rbf-" + name, "rbf", generator, parameters, C, quick, gamma=gamma)

    yield one("60000x8", "smooth", d(rows=60000, columns=8, length=0.8, noise=0.03), 8, 0.5)
    yield one("50000x22", "smooth", d(rows=50000, columns=22, latent=2, length=2, noise=0.002), 32, 2)
    yield one("20000x22-separable", "smooth", d(rows=20000, columns=22, latent=3, length=3, noise=0), 32, 2)
    yield one("16000x16-26classes", "clusters", d(rows=16000, columns=16, classes=26, each=4, width=0.3), 16, 8)
    yield one("43500x9-7classes", "clusters", d(rows=43500, columns=9, classes=7, each=3, width=0.2, balance=0.25), 100, 1)
    yield one("4400x36-6classes", "smooth", d(rows=4400, columns=36, classes=6, latent=5, noise=0.03), 16, 1, quick=True)
    yield one("1000x24", "smooth", d(rows=1000, columns=24, noise=0.2), 10, 0.1, quick=True)
    yield one("1000x60", "smooth", d(rows=1000, columns=60, latent=8, noise=0.1), 10, 0.05, quick=True)
    yield one("19000x10", "smooth", d(rows=19000, columns=10, noise=0.13), 1, 1)
    yield one("100x2", "clusters", d(rows=100, columns=2), 1, 1, quick=True)
    yield one("5000x2-C1e4", "smooth", d(rows=5000, columns=2, length=0.3, noise=0.02), 1e4, 10)
    yield one("2000x5-noise0.4", "smooth", d(rows=2000, columns=5, noise=0.4), 100, 1, quick=True)
    yield one("10000x20-C1e-2", "smooth", d(rows=10000, columns=20, noise=0.1), 1e-2, 0.1, quick=True)
    yield one("3000x10-30classes", "clusters", d(rows=3000, columns=10, classes=30, each=2, width=0.3), 10, 1, quick=True)
    yield one("8000x30-gamma1e-3", "smooth", d(rows=8000, columns=30, noise=0.05), 1000, 1e-3)
    yield one("8000x10-gamma50", "clusters", d(rows=8000, columns=10, each=8), 10, 50)
    yield one("3000x500", "smooth", d(rows=3000, columns=500, latent=10, noise=0.05), 10, 0.005, quick=True)
    yield one("10000x120-ones", "fields", d(rows=10000, columns=120, count=14, noise=0.12), 8, 0.03)
    yield one("5000x4000-text", "text", d(rows=5000, columns=4000, words=40), 10, 0.5)
    yield one("4000x784-digits", "strokes", d(rows=4000), 10, 5e-7)
    yield one("5000x8-5classes", "smooth", d(rows=5000, columns=8, classes=5, noise=0.1), 100, 0.5)


def knn():
    d = dict

    def one(name, generator, parameters, metric="l2", quick=False):
        return shape("knn-" + name, "knn", generator, parameters, quick=quick, k=5, metric=metric)

    yield one("1000x20", "clusters", d(rows=1000, columns=20), quick=True)
    yield one("100000x3", "clusters", d(rows=100000, columns=3, each=8), quick=True)
    yield one("50000x9", "clusters", d(rows=50000, columns=9, each=8))
    yield one("30000x20", "clusters", d(rows=30000, columns=20, each=10))
    yield one("20000x64", "smooth", d(rows=20000, columns=64, latent=8), quick=True)
    yield one("20000x100-gaussian", "dense", d(rows=20000, columns=100))
    yield one("15000x784-digits", "strokes", d(rows=15000))
    yield one("5000x1000", "smooth", d(rows=5000, columns=1000, latent=20))
    yield one("10000x30000-text", "text", d(rows=10000, columns=30000, words=60), metric="cosine")


SHAPES = [*linear(), *softmax(), *rbf(), *knn()]


# ---- Series for --scaling: (family, what varies, shapes in increasing order, their values) ----


def series(family, variable, values, make):
    return dict(family=family, variable=variable, values=values,
                shapes=[make(v, f"scaling-{family}-{variable}-{v:g}".replace(" ", "-")) for v in values])


def scaling():
    d = dict
    for loss in ("hinge", "squared", "logistic"):
        yield series(f"linear {loss}", "rows", [25000, 50000, 100000, 200000, 400000], lambda v, name, loss=loss: shape(
            name, loss, "dense", d(rows=v, columns=20)))
        yield series(f"linear {loss}", "columns", [25, 50, 100, 200, 400], lambda v, name, loss=loss: shape(
            name, loss, "dense", d(rows=10000, columns=v)))
        yield series(f"linear {loss}", "classes", [3, 6, 12, 24], lambda v, name, loss=loss: shape(
            name, loss, "dense", d(rows=20000, columns=30, classes=v)))
        yield series(f"linear {loss}", "non-zeros", [25, 50, 100, 200], lambda v, name, loss=loss: shape(
            name, loss, "sparse", d(rows=20000, columns=20000, density=v / 20000)))
    yield series("rbf", "rows", [2000, 4000, 8000, 16000], lambda v, name: shape(
        name, "rbf", "smooth", d(rows=v, columns=10, noise=0.05), C=10, gamma=0.5))
    yield series("rbf", "columns", [10, 30, 90, 270], lambda v, name: shape(
        name, "rbf", "smooth", d(rows=4000, columns=v, latent=6, noise=0.05), C=10, gamma=5 / v))
    yield series("rbf", "classes", [3, 6, 12, 24], lambda v, name: shape(
        name, "rbf", "clusters", d(rows=6000, columns=10, classes=v, width=0.4), C=10, gamma=0.5))
    yield series("knn", "rows", [10000, 20000, 40000, 80000], lambda v, name: shape(
        name, "knn", "smooth", d(rows=v, columns=50, latent=10), k=5, metric="l2"))
    yield series("knn", "columns", [50, 100, 200, 400, 800], lambda v, name: shape(
        name, "knn", "smooth", d(rows=10000, columns=v, latent=10), k=5, metric="l2"))
