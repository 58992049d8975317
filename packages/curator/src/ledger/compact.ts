import { defined } from '@lethe/numerics';
import type { Line } from './check-line.js';
import { createBook, type Book, type Piece } from './book.js';
import type { Digests } from './digests.js';

/** A line with its line number; for merged lines, the number of the first. */
export interface Placed {
  readonly position: number;
  readonly line: Line;
}

/** The lines of a ledger with equal steps stored once. */
export interface Compact {
  readonly lines: readonly Placed[];
  /** Digests of one run. */
  digestsOf(run: string): Digests;
}

/**
 * Merges equal steps. Other lines do not change and keep their order; entries of a run never move past
 * another line of that run. Invalid lines stay too: the reader refuses them.
 */
export function compact(lines: readonly Line[]): Compact {
  const books = new Map<string, Book>();
  const others: Placed[] = [];
  lines.forEach((line, position) => {
    const book = 'run' in line ? books.get(line.run) : undefined;
    if (book !== undefined && taken(book, line, position)) return;
    book?.bar();
    others.push({ position, line });
    if (line.t === 'run' && book === undefined) books.set(line.run, createBook({ run: line.run }));
  });
  const pieces = [...books].flatMap(([run, book]) =>
    book.pieces().map((piece): Placed => ({ position: piece.line, line: lineOf(run, piece) })),
  );
  return {
    lines: [...others, ...pieces].toSorted((a, b) => a.position - b.position),
    digestsOf: (run) => defined(defined(books.get(run)).digests),
  };
}

function taken(book: Book, line: Line, position: number): boolean {
  switch (line.t) {
    case 'entry':
      if (line.index !== book.length) return false;
      book.add(line.effect, line.digest, position);
      return true;
    case 'again':
      if (line.at + line.period > book.length) return false;
      book.addAgain(line, position);
      return true;
    case 'steps':
      if (line.index !== book.length) return false;
      book.addSteps(line, position);
      return true;
    default:
      return false;
  }
}

function lineOf(run: string, piece: Piece): Line {
  if ('entry' in piece) return { t: 'entry', ...piece.entry };
  return 'steps' in piece ? { t: 'steps', run, ...piece.steps } : { t: 'again', run, ...piece.again };
}
