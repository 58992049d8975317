/** A point or the corner of a box, in pixels of the panel. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}
/** Where a word may stand: its middle left, its middle or its middle right, as `anchor` says. */
export interface Place extends Spot {
  readonly anchor: 'start' | 'middle' | 'end';
}

const halfHeight = 8;
/** Width of a word at 14 px, on the generous side. */
const widthOf = (word: string): number => 7.4 * word.length;

/** Left end of the word's box. */
const leftOf = (word: string, { x, anchor }: Place): number => {
  const shift = () => {
    if (anchor === 'start') return 0;
    return anchor === 'middle' ? 0.5 : 1;
  };
  return x - widthOf(word) * shift();
};

/** More room than this, in pixels, is no better. */
const enough = 4;

/**
 * The first place with room around it, or the one with most; `null` when the word would hide something
 * everywhere.
 */
export function placeWord(
  word: string,
  places: readonly Place[],
  drawn: readonly Spot[],
  frame: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
): Place | null {
  let best: Place | null = null;
  let most = 0;
  for (const place of places) {
    const left = leftOf(word, place);
    const inside =
      left >= frame.left &&
      left + widthOf(word) <= frame.right &&
      place.y - halfHeight >= frame.top &&
      place.y + halfHeight <= frame.bottom;
    if (!inside) continue;
    const room = Math.min(
      enough,
      ...drawn.map(
        ({ x, y }) =>
          distance(x, left, left + widthOf(word)) + distance(y, place.y - halfHeight, place.y + halfHeight),
      ),
    );
    if (room > most) {
      best = place;
      most = room;
    }
  }
  return best;
}

/** The box of a placed word as points, for the next word to keep away from. */
export const boxOf = (word: string, place: Place): readonly Spot[] =>
  Array.from({ length: 9 }, (_, i) => ({ x: leftOf(word, place) + (widthOf(word) * i) / 8, y: place.y }));

/** Points along a line through `spots`, close enough together that no word fits between two. */
export const along = (spots: readonly Spot[]): readonly Spot[] =>
  spots.flatMap((spot, i) => {
    const next = spots[i + 1];
    return next === undefined
      ? [spot]
      : Array.from({ length: 12 }, (_, k) => ({
          x: spot.x + ((next.x - spot.x) * k) / 12,
          y: spot.y + ((next.y - spot.y) * k) / 12,
        }));
  });

const distance = (value: number, low: number, high: number): number => Math.max(low - value, value - high, 0);
