/** A line of input, or the reason why it cannot be read. */
export type Line = { readonly text: string } | { readonly problem: string };

/** Longer lines, in bytes, are reported as problems. */
const longest = 1_000_000;
const newline = 10;

/**
 * Yields UTF-8 lines, one in memory at a time. A line that is too long or not UTF-8 is yielded as a problem.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, most = longest): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let seen = false;
  const take = (piece: Uint8Array): void => {
    seen ||= piece.length > 0;
    held += piece.length;
    if (held <= most) pieces.push(piece.slice());
    else pieces = [];
  };
  const end = (): Line => {
    const line: Line =
      held > most ? { problem: `a line has ${held} bytes; at most ${most} are read` } : decoded(pieces);
    pieces = [];
    held = 0;
    seen = false;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  if (seen) yield end();
}

function decoded(pieces: readonly Uint8Array[]): Line {
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(
        pieces.length === 1 ? pieces[0] : Buffer.concat(pieces),
      ),
    };
  } catch {
    return { problem: 'a line is not UTF-8 text; save it as UTF-8' };
  }
}
