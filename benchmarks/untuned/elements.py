"""Algorithms whose loops read and store single elements: sorting, queues, stacks, graphs, images. Without annotations."""

import numpy as np


def bubble_sort(A, B):
    _n, _m = A.shape
    v = A.ravel().copy()
    for i in range(500):
        for j in range(500 - i - 1):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v


def insertion_sort(A, B):
    _n, _m = A.shape
    v = A.ravel().copy()
    for i in range(1, 300):
        key = v[i]
        j = i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return v


def diffuse(A, B):
    n, m = A.shape
    for x in range(1, n - 1):
        for y in range(1, m - 1):
            old = A[x, y]
            new = np.floor(old)
            A[x, y] = new
            e = old - new
            A[x, y + 1] = A[x, y + 1] + e * 7 / 16
            A[x + 1, y - 1] = A[x + 1, y - 1] + e * 3 / 16
            A[x + 1, y] = A[x + 1, y] + e * 5 / 16
            A[x + 1, y + 1] = A[x + 1, y + 1] + e * 1 / 16
    return A


def mirror(A, B):
    n, m = A.shape
    i, j = 0, m - 1
    while i < j:
        for k in range(n):
            A[k, i], A[k, j] = A[k, j], A[k, i]
        i += 1
        j -= 1
    return A


def topple(A, B):
    n, m = A.shape
    for x in range(1, n - 1):
        for y in range(1, m - 1):
            if B[x, y] >= 1:
                A[x, y] -= 1
                A[x - 1, y] += 0.25
                A[x + 1, y] += 0.25
                A[x, y - 1] += 0.25
                A[x, y + 1] += 0.25
    return A


def join(A, B):
    n, m = A.shape
    parent = np.arange(n * m)
    for x in range(n - 1):
        for y in range(m - 1):
            i, j = x * m + y, x * m + y + 1
            if A[x, y] > B[x, y]:
                while parent[i] != i:
                    parent[i] = parent[parent[i]]
                    i = parent[i]
                while parent[j] != j:
                    j = parent[j]
                parent[i] = j
    return parent * 1.0


def shuffle(A, B):
    v = A.ravel().copy()
    n = len(v)
    for i in range(n - 1, 0, -1):
        j = int(abs(B.flat[i]) * i)
        v[i], v[j] = v[j], v[i]
    return v


def rotate(A, B):
    n, _m = A.shape
    c, s = np.cos(0.1), np.sin(0.1)
    A = A.copy()
    for p in range(n - 1):
        for q in range(p + 1, min(n, p + 20)):
            ap = A[p, :].copy()
            aq = A[q, :].copy()
            A[p, :] = c * ap - s * aq
            A[q, :] = s * ap + c * aq
            ap = A[:, p].copy()
            aq = A[:, q].copy()
            A[:, p] = c * ap - s * aq
            A[:, q] = s * ap + c * aq
    return A


def heapify(A, B):
    heap = np.abs(A.ravel())[:1000].copy()
    size = len(heap)
    for i in range(size // 2 - 1, -1, -1):
        k = i
        while 2 * k + 1 < size:
            c = 2 * k + 1
            if c + 1 < size and heap[c + 1] < heap[c]:
                c += 1
            if heap[c] >= heap[k]:
                break
            heap[c], heap[k] = heap[k], heap[c]
            k = c
    return heap


def dither(A, B):
    n, m = A.shape
    img = np.stack([A, B, A * B], axis=-1)
    for x in range(n - 1):
        for y in range(1, m - 1):
            old = img[x, y].copy()
            new = np.round(old)
            img[x, y] = new
            err = old - new
            img[x, y + 1] += err * 7 / 16
            img[x + 1, y - 1] += err * 3 / 16
            img[x + 1, y] += err * 5 / 16
            img[x + 1, y + 1] += err / 16
    return img


def align(A, B):
    n, m = A.shape
    V = np.zeros((n, m))
    P = np.zeros((n, m), dtype=np.int64)
    for x in range(1, n):
        for y in range(1, m):
            best = V[x - 1, y] + A[x, y]
            P[x, y] = 1
            if V[x, y - 1] + B[x, y] > best:
                best = V[x, y - 1] + B[x, y]
                P[x, y] = 2
            if V[x - 1, y - 1] > best:
                best = V[x - 1, y - 1]
                P[x, y] = 3
            V[x, y] = best
    return V + P


def distances(A, B):
    n, m = A.shape
    seen = np.zeros((n, m), dtype=bool)
    qx = np.zeros(n * m, dtype=np.int64)
    qy = np.zeros(n * m, dtype=np.int64)
    dist = np.full((n, m), -1.0)
    head, tail = 0, 1
    seen[0, 0] = True
    dist[0, 0] = 0
    dx = np.array([1, -1, 0, 0])
    dy = np.array([0, 0, 1, -1])
    while head < tail:
        x, y = qx[head], qy[head]
        head += 1
        for k in range(4):
            u, v = x + dx[k], y + dy[k]
            if u >= 0 and u < n and v >= 0 and v < m:
                if not seen[u, v] and A[u, v] < 2.5:
                    seen[u, v] = True
                    dist[u, v] = dist[x, y] + 1
                    qx[tail] = u
                    qy[tail] = v
                    tail += 1
    return dist


def shortest(A, B):
    n = A.shape[0]
    W = np.abs(A) + 0.01
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    prev = np.full(n, -1)
    dist[0] = 0.0
    for _ in range(n):
        best, u = np.inf, -1
        for i in range(n):
            if not done[i] and dist[i] < best:
                best, u = dist[i], i
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if not done[v] and dist[u] + W[u, v] < dist[v]:
                dist[v] = dist[u] + W[u, v]
                prev[v] = u
    return dist + prev


def routes(A, B):
    D = np.abs(A[:60, :60]) + 0.1
    n = len(D)
    nxt = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            nxt[i, j] = j
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if D[i, k] + D[k, j] < D[i, j]:
                    D[i, j] = D[i, k] + D[k, j]
                    nxt[i, j] = nxt[i, k]
    return D + nxt


def quicksort(A, B):
    v = A.ravel()[:4000].copy()
    n = len(v)
    stack = np.zeros((200, 2), dtype=np.int64)
    top = 0
    stack[0, 0], stack[0, 1] = 0, n - 1
    while top >= 0:
        lo, hi = stack[top, 0], stack[top, 1]
        top -= 1
        p = v[hi]
        i = lo - 1
        for j in range(lo, hi):
            if v[j] <= p:
                i += 1
                v[i], v[j] = v[j], v[i]
        v[i + 1], v[hi] = v[hi], v[i + 1]
        if lo < i:
            top += 1
            stack[top, 0], stack[top, 1] = lo, i
        if i + 2 < hi:
            top += 1
            stack[top, 0], stack[top, 1] = i + 2, hi
    return v


def merge_sort(A, B):
    v = A.ravel()[:4096].copy()
    n = len(v)
    tmp = np.empty(n)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or v[i] <= v[j]):
                    tmp[k] = v[i]
                    i += 1
                else:
                    tmp[k] = v[j]
                    j += 1
        v, tmp = tmp, v
        width *= 2
    return v


def increasing(A, B):
    v = A.ravel()[:400]
    n = len(v)
    length = np.ones(n, dtype=np.int64)
    prev = np.full(n, -1)
    for i in range(n):
        for j in range(i):
            if v[j] < v[i] and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
                prev[i] = j
    return length + prev


def chain(A, B):
    p = np.abs(A.ravel()[:60]) + 1
    n = len(p) - 1
    m = np.zeros((n, n))
    s = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            m[i, j] = np.inf
            for k in range(i, j):
                q = m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < m[i, j]:
                    m[i, j] = q
                    s[i, j] = k
    return m + s


def draw_lines(A, B):
    img = np.zeros((200, 200))
    for t in range(300):
        x0, y0 = int(abs(A[t % 200, 3]) * 60), int(abs(A[t % 200, 7]) * 60)
        x1, y1 = int(abs(B[t % 200, 3]) * 190), int(abs(B[t % 200, 7]) * 190)
        dx, dy = abs(x1 - x0), -abs(y1 - y0)
        sx = 1 if x0 < x1 else -1
        sy = 1 if y0 < y1 else -1
        err = dx + dy
        while True:
            img[x0, y0] += 1
            if x0 == x1 and y0 == y1:
                break
            e2 = 2 * err
            if e2 >= dy:
                err += dy
                x0 += sx
            if e2 <= dx:
                err += dx
                y0 += sy
    return img


def hough(A, B):
    n, m = A.shape
    acc = np.zeros((90, 300))
    for x in range(0, n, 4):
        for y in range(0, m, 4):
            if A[x, y] > 1.5:
                for t in range(90):
                    r = int(x * np.cos(t * np.pi / 90) + y * np.sin(t * np.pi / 90))
                    if 0 <= r < 300:
                        acc[t, r] += 1
    return acc


def ising(A, B):
    n, m = A.shape
    spins = np.where(A > 0, 1, -1)
    u = np.abs(B) % 1.0
    energy = 0.0
    trace = np.zeros(n * m)
    t = 0
    for x in range(n):
        for y in range(m):
            s = spins[x, y]
            nb = spins[(x + 1) % n, y] + spins[x - 1, y] + spins[x, (y + 1) % m] + spins[x, y - 1]
            dE = 2 * s * nb
            if dE <= 0 or u[x, y] < np.exp(-dE / 2.0):
                spins[x, y] = -s
                energy += dE
            trace[t] = energy
            t += 1
    return trace


def components(A, B):
    n, m = A.shape
    labels = np.zeros((n, m), dtype=np.int64)
    parent = np.arange(n * m)
    nxt = 1
    for x in range(n):
        for y in range(m):
            if A[x, y] > 0:
                up = labels[x - 1, y] if x > 0 else 0
                left = labels[x, y - 1] if y > 0 else 0
                if up == 0 and left == 0:
                    labels[x, y] = nxt
                    nxt += 1
                elif up != 0 and left != 0:
                    labels[x, y] = min(up, left)
                    parent[max(up, left)] = min(up, left)
                else:
                    labels[x, y] = max(up, left)
    return labels


def attract(A, B):
    pos = A[:50, :3].copy()
    vel = B[:50, :3] * 0.01
    for _step in range(5):
        acc = np.zeros((50, 3))
        for i in range(50):
            for j in range(i + 1, 50):
                d = pos[j] - pos[i]
                r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01
                f = d / (r2 * np.sqrt(r2))
                acc[i] += f
                acc[j] -= f
        vel += acc * 0.001
        pos += vel
    return pos
