"""Train and say how many digits are read: `python -m digits` from the folder above."""

import argparse

import numpy as np

from .images import make_digits
from .network import accuracy, one_hot
from .training import train


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=256, help="neurons in each of the two hidden layers; 512 in the article")
    parser.add_argument("--images", type=int, default=600)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    args = parse_arguments()
    np.random.seed(args.seed)
    images, labels = make_digits(args.images)
    test_images, test_labels = make_digits(args.images // 2)
    layer_sizes = [images.shape[1], args.hidden, args.hidden, 10]
    params = train(images, one_hot(labels, 10), layer_sizes, args.epochs)
    print(f"test set accuracy {accuracy(params, test_images, one_hot(test_labels, 10)):.4f}")


if __name__ == "__main__":
    main()
