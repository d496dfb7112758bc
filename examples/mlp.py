"""A multilayer perceptron in NumPy: forward pass, loss, backpropagation by hand, minibatches.

It learns to tell ten kinds of noisy patterns apart, which stand in for images of digits.
"""

import numpy as np

LAYER_SIZES = [64, 48, 32, 10]
STEP_SIZE = 0.3
NUM_EPOCHS = 8
BATCH_SIZE = 100


def random_layer_params(m, n, rng):
    """Weights (m, n) and biases (n,) of one layer."""
    return np.sqrt(2.0 / m) * rng.standard_normal((m, n)), np.zeros(n)


def init_network_params(layer_sizes, rng):
    """A list of (weights, biases), one pair a layer."""
    return [random_layer_params(m, n, rng) for m, n in zip(layer_sizes[:-1], layer_sizes[1:])]


def make_patterns(rng, num_samples, num_pixels=64, num_labels=10, noise=0.6):
    """Samples (num_samples, num_pixels), each a noisy copy of one of `num_labels` patterns, and which one it is."""
    patterns = rng.random((num_labels, num_pixels))
    labels = rng.integers(0, num_labels, num_samples)
    samples = patterns[labels] + noise * rng.standard_normal((num_samples, num_pixels))
    return samples, labels


def shuffled(rng, n):
    """The numbers 0 to n - 1 in a random order."""
    return rng.permutation(n)


def one_hot(x, k, dtype=np.float64):
    """Create a one-hot encoding of x of size k."""
    return np.array(x[:, None] == np.arange(k), dtype)


def relu(x):
    return np.maximum(0, x)


def log_softmax(logits):
    """Logarithm of the probabilities, row by row; stable for large logits."""
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def forward(params, x):
    """Inputs of every layer, and the log-probabilities of the labels.

    Parameters
    ----------
    params : list of (ndarray, ndarray)
        Weights and biases of every layer.
    x : ndarray, shape (batch, pixels)
    """
    activations = [x]
    for w, b in params[:-1]:
        activations.append(relu(np.dot(activations[-1], w) + b))
    w, b = params[-1]
    return activations, log_softmax(np.dot(activations[-1], w) + b)


def predict(params, x):
    _, log_probabilities = forward(params, x)
    return log_probabilities


def loss(params, x, targets):
    """Mean cross-entropy; `targets` are one-hot, shape (batch, labels)."""
    return -np.mean(np.sum(predict(params, x) * targets, axis=1))


def accuracy(params, x, targets):
    predicted_class = np.argmax(predict(params, x), axis=1)
    target_class = np.argmax(targets, axis=1)
    return np.mean(predicted_class == target_class)


def backward(params, x, targets):
    """Gradient of the loss: a list of (dw, db), like `params`."""
    activations, log_probabilities = forward(params, x)
    delta = np.exp(log_probabilities)
    delta -= targets
    delta /= len(x)
    grads = []
    for layer in range(len(params) - 1, -1, -1):
        w, _ = params[layer]
        grads.append((np.dot(activations[layer].T, delta), delta.sum(axis=0)))
        if layer > 0:
            delta = np.dot(delta, w.T)
            delta *= activations[layer] > 0
    grads.reverse()
    return grads


def update(params, x, targets, step_size):
    """One step of gradient descent on a minibatch."""
    grads = backward(params, x, targets)
    return [(w - step_size * dw, b - step_size * db) for (w, b), (dw, db) in zip(params, grads)]


def numerical_derivative(params, x, targets, layer, row, column, h=1e-5):
    """Central difference of the loss by one weight, to check `backward`."""
    values = []
    for shift in (h, -h):
        w, b = params[layer]
        moved = w.copy()
        moved[row, column] += shift
        values.append(loss(params[:layer] + [(moved, b)] + params[layer + 1 :], x, targets))
    return (values[0] - values[1]) / (2 * h)


def main():
    rng = np.random.default_rng(0)
    samples, labels = make_patterns(rng, 2500)
    targets = one_hot(labels, LAYER_SIZES[-1])
    train_x, train_y = samples[:2000], targets[:2000]
    test_x, test_y = samples[2000:], targets[2000:]
    params = init_network_params(LAYER_SIZES, rng)

    grads = backward(params, train_x[:50], train_y[:50])
    by_differences = numerical_derivative(params, train_x[:50], train_y[:50], 1, 3, 5)
    print("derivative %.8f, by differences %.8f" % (grads[1][0][3, 5], by_differences))

    for epoch in range(NUM_EPOCHS):
        order = shuffled(rng, len(train_x))
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            params = update(params, train_x[batch], train_y[batch], STEP_SIZE)
        print("epoch %d: loss %.6f" % (epoch, loss(params, train_x, train_y)))
    print("training set accuracy %.4f" % accuracy(params, train_x, train_y))
    print("test set accuracy %.4f" % accuracy(params, test_x, test_y))


if __name__ == "__main__":
    main()
