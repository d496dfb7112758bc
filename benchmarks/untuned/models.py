"""Models and simulations as libraries write them: classes whose methods call each other, histories, limits and options."""

import numpy as np


class Kalman:
    def __init__(self, F, H, Q, R, x0, P0):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.x = x0
        self.P = P0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P

    def run(self, zs):
        out = []
        for z in zs:
            self.predict()
            self.update(z)
            out.append(self.x)
        return np.array(out)


class GameOfLife:
    def __init__(self, grid, wrap=True):
        self.grid = np.asarray(grid).astype(int)
        self.wrap = wrap
        self.generation = 0

    def neighbours(self):
        n = np.zeros_like(self.grid)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    n += np.roll(np.roll(self.grid, dx, 0), dy, 1)
        return n

    def step(self):
        n = self.neighbours()
        self.grid = ((n == 3) | ((self.grid == 1) & (n == 2))).astype(int)
        self.generation += 1

    def run(self, steps):
        counts = []
        for _ in range(steps):
            self.step()
            counts.append(int(self.grid.sum()))
        return counts


class Reservoir:
    def __init__(self, n, rho=0.9, leak=0.3, seed=0):
        rng = np.random.RandomState(seed)
        W = rng.rand(n, n) - 0.5
        self.W = W * rho / np.max(np.abs(np.linalg.eigvals(W)))
        self.Win = rng.rand(n, 2) - 0.5
        self.leak = leak
        self.state = np.zeros(n)
        self.Wout = None

    def _update(self, u):
        self.state = (1 - self.leak) * self.state + self.leak * np.tanh(self.Win @ np.array([1.0, u]) + self.W @ self.state)
        return self.state

    def collect(self, us, washout=0):
        X = np.zeros((len(us) - washout, len(self.state)))
        for t, u in enumerate(us):
            s = self._update(u)
            if t >= washout:
                X[t - washout] = s
        return X

    def fit(self, us, ys, washout=50, ridge=1e-6):
        X = self.collect(us, washout)
        Y = ys[washout:]
        self.Wout = np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ Y)
        return self

    def generate(self, u, n):
        out = np.zeros(n)
        for t in range(n):
            u = float(self.Wout @ self._update(u))
            out[t] = u
        return out


class HarmonicChain:
    def __init__(self, n, k=1.0, m=1.0, fixed=True):
        self.n, self.k, self.m, self.fixed = n, k, m, fixed
        self.x = np.zeros(n)
        self.v = np.zeros(n)

    def force(self, x):
        f = np.zeros(self.n)
        for i in range(self.n):
            left = x[i - 1] if i > 0 else (0.0 if self.fixed else x[-1])
            right = x[i + 1] if i < self.n - 1 else (0.0 if self.fixed else x[0])
            f[i] = -self.k * (2 * x[i] - left - right)
        return f

    def energy(self):
        kin = 0.5 * self.m * np.sum(self.v**2)
        pot = 0.0
        for i in range(self.n - 1):
            pot += 0.5 * self.k * (self.x[i + 1] - self.x[i]) ** 2
        return kin + pot

    def evolve(self, steps, dt=0.01):
        energies = np.zeros(steps)
        a = self.force(self.x) / self.m
        for s in range(steps):
            self.v += 0.5 * dt * a
            self.x += dt * self.v
            a = self.force(self.x) / self.m
            self.v += 0.5 * dt * a
            energies[s] = self.energy()
        return energies


class Regression:
    def __init__(self, rate=0.1, rounds=1000, tol=1e-6, verbose=False):
        self.rate, self.rounds, self.tol, self.verbose = rate, rounds, tol, verbose

    def _loss(self, e):
        return 0.5 * np.mean(e**2)

    def fit(self, x, y):
        n, m = x.shape
        self.w = np.zeros(m)
        self.b = 0
        self.losses = []
        for k in range(self.rounds):
            e = np.dot(x, self.w) + self.b - y
            self.w -= self.rate / n * np.dot(x.T, e)
            self.b -= self.rate / n * np.sum(e)
            self.losses.append(self._loss(e))
            if self.verbose and k % 10 == 0:
                print(k, self.losses[-1])
        return self


class Perceptron:
    def __init__(self, eta=0.01, rounds=50, seed=1):
        self.eta, self.rounds, self.seed = eta, rounds, seed

    def fit(self, x, y):
        rng = np.random.RandomState(self.seed)
        self.w = rng.normal(loc=0.0, scale=0.01, size=1 + x.shape[1])
        self.errors = []
        for _ in range(self.rounds):
            errors = 0
            for row, target in zip(x, y):  # noqa: B905  # as such classes are written
                update = self.eta * (target - self.predict(row))
                self.w[1:] += update * row
                self.w[0] += update
                errors += int(update != 0.0)
            self.errors.append(errors)
        return self

    def net(self, x):
        return np.dot(x, self.w[1:]) + self.w[0]

    def predict(self, x):
        return np.where(self.net(x) >= 0.0, 1, -1)


def descend(x, n, tol):
    """Steepest descent until two losses are as good as equal."""
    losses = []
    for i in range(n):
        x = x - 0.01 * np.sin(x)
        losses.append(np.sum(x**2))
        if i > 0 and abs(losses[-1] - losses[-2]) < tol:
            break
    return x, losses, i


def simplified(points, epsilon):
    """The line without points that are near the others: Ramer, Douglas and Peucker."""
    points = np.asarray(points, dtype=float)
    keep = np.zeros(len(points), dtype=bool)
    keep[0] = keep[-1] = True
    stack = [(0, len(points) - 1)]
    while stack:
        start, end = stack.pop()
        dmax, index = 0.0, start
        p, q = points[start], points[end]
        length = np.hypot(*(q - p))
        for i in range(start + 1, end):
            if length == 0:
                d = np.hypot(*(points[i] - p))
            else:
                d = abs((q[0] - p[0]) * (p[1] - points[i, 1]) - (p[0] - points[i, 0]) * (q[1] - p[1])) / length
            if d > dmax:
                dmax, index = d, i
        if dmax > epsilon:
            keep[index] = True
            stack.extend([(start, index), (index, end)])
    return points[keep]


def wave(u0, c=1.0, dx=0.1, dt=0.05, steps=100, damping=0.0, source=None, boundary="fixed", snapshots=None):
    if c * dt / dx > 1 / np.sqrt(2):
        raise ValueError(f"unstable: CFL number {c * dt / dx:.3f} > 0.707")
    if boundary not in ("fixed", "periodic", "open"):
        raise ValueError(f"unknown boundary {boundary!r}")
    u_prev = u0.copy()
    u = u0.copy()
    k = (c * dt / dx) ** 2
    frames = []
    for n in range(steps):
        if boundary == "periodic":
            lap = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        else:
            lap = np.zeros_like(u)
            lap[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u_next = 2 * u - u_prev + k * lap - damping * dt * (u - u_prev)
        if source is not None:
            i, j, f = source
            u_next[i, j] += dt**2 * np.sin(2 * np.pi * f * n * dt)
        if boundary == "fixed":
            u_next[0] = u_next[-1] = 0
            u_next[:, 0] = u_next[:, -1] = 0
        elif boundary == "open":
            u_next[0], u_next[-1] = u_next[1], u_next[-2]
            u_next[:, 0], u_next[:, -1] = u_next[:, 1], u_next[:, -2]
        u_prev, u = u, u_next
        if snapshots and n % snapshots == 0:
            frames.append(u.copy())
    return (u, frames) if snapshots else u
