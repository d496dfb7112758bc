"""The network: its parameters, the forward pass, the loss, and its gradient by hand."""

import numpy as np


def random_layer_params(m, n, scale=1e-2):
    """Weights (m, n) and biases (n,) of one layer."""
    return scale * np.random.randn(m, n), scale * np.random.randn(n)


def init_network_params(layer_sizes):
    """A list of (weights, biases), one pair a layer."""
    return [random_layer_params(m, n) for m, n in zip(layer_sizes[:-1], layer_sizes[1:])]


def one_hot(x, k, dtype=np.float64):
    """Create a one-hot encoding of x of size k."""
    return np.array(x[:, None] == np.arange(k), dtype)


def relu(x):
    return np.maximum(0, x)


def log_softmax(logits):
    """Logarithm of the probabilities, row by row; stable for large logits."""
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def forward(params, images):
    """The inputs of every layer, and the log-probabilities of the digits, for images (batch, pixels)."""
    activations = [images]
    for w, b in params[:-1]:
        activations.append(relu(np.dot(activations[-1], w) + b))
    final_w, final_b = params[-1]
    return activations, log_softmax(np.dot(activations[-1], final_w) + final_b)


def predict(params, images):
    _, log_probabilities = forward(params, images)
    return log_probabilities


def loss(params, images, targets):
    """Mean cross-entropy; `targets` are one-hot, shape (batch, 10)."""
    return -np.mean(np.sum(predict(params, images) * targets, axis=1))


def accuracy(params, images, targets):
    """The share of the images whose digit is the most probable one."""
    target_class = np.argmax(targets, axis=1)
    predicted_class = np.argmax(predict(params, images), axis=1)
    return np.mean(predicted_class == target_class)


def gradient(params, images, targets):
    """Gradient of the loss by backpropagation: a list of (dw, db), like `params`."""
    activations, log_probabilities = forward(params, images)
    delta = (np.exp(log_probabilities) - targets) / len(images)
    grads = []
    for layer in range(len(params) - 1, -1, -1):
        w, _ = params[layer]
        grads.append((np.dot(activations[layer].T, delta), delta.sum(axis=0)))
        if layer > 0:
            delta = np.dot(delta, w.T) * (activations[layer] > 0)
    grads.reverse()
    return grads


def update(params, images, targets, step_size):
    """One step of gradient descent on a minibatch."""
    grads = gradient(params, images, targets)
    return [(w - step_size * dw, b - step_size * db) for (w, b), (dw, db) in zip(params, grads)]
