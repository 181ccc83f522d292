"""columns: tables for a terminal."""


def lay_out(titles, rows, left, before="", last_unpadded=True):
    """Returns the lines of a table; `left` has the numbers of the columns whose cells begin at the left."""
    rows = [list(titles), *map(list, rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(titles))]
    if last_unpadded:
        widths[-1] = 0
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i in left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append(before + "  ".join(cells))
    return lines
