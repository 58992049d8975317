/** First byte of every encoded value. */
export const tag = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  list: 5,
  record: 6,
  doubles: 7,
  words: 8,
  bytes: 9,
  /** Doubles by keyed sums of them: in what is hashed, never in what is decoded. */
  sums: 10,
} as const;

/** Maximum nesting depth; it also stops cycles. */
export const deepest = 64;

/** Counts below this take one byte; others this byte and four more. */
export const longCount = 255;

export const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
