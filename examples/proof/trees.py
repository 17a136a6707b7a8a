"""Trees of boxes (docs/proofs.md, Trees), and least sums over numbers that add up."""
from facts import need

INFINITE = 1 << 6000  # more than any sum; sums of infinite numbers stay above it


def finite(x):
    return x < INFINITE


def check_tree(nodes, prices, root, narrow, split, leaf):
    """Checks every node. A box is None where it is closed. narrow(box, price), split(box, split) → low, high, leaf(box, node)."""
    need(nodes, "there is no root")
    boxes, named = {0: root}, set()
    for at, node in enumerate(nodes):
        s = node.get("split")
        need(all(k < prices for k in node.get("prices", [])), "no such prices")
        need(at in boxes, f"node {at} is no child of a node before it")
        box = boxes.pop(at)
        for k in node.get("prices", []):
            if box is not None:
                box = narrow(box, k)
        if s:
            need(not node.get("loads"), f"node {at} has a split and loads")
            for child in (s["low"], s["high"]):
                need(at < child < len(nodes) and child not in named, f"node {child} is named twice or before its parent")
                named.add(child)
            boxes[s["low"]], boxes[s["high"]] = split(box, s)
        else:
            leaf(box, node, at)


def sums(tables, most):
    """The least sums of numbers that add up to 0, …, most: of the first tables, and of the last; a table maps a number to its value."""
    def chain(tables):
        found = [[0] + [INFINITE] * most]
        for table in tables:
            last, row = found[-1], [INFINITE] * (most + 1)
            for n, value in table.items():
                if value < INFINITE:
                    row[n:] = [x if x < y + value else y + value for x, y in zip(row[n:], last)]
            found.append(row)
        return found
    return chain(tables), chain(tables[::-1])[::-1]


def rests(tables, most):
    """By table and number n of its range: the least sum of the others that add up to most − n; and the least sum of all."""
    before, after = sums(tables, most)
    found = []
    for k, table in enumerate(tables):
        first, last = before[k], after[k + 1]
        found.append({n: min((x + y for x, y in zip(first[:most - n + 1], last[most - n::-1])), default=INFINITE) for n in table})
    return found, before[-1][most]
