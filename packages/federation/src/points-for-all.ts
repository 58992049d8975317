import type { Vector } from '@lethe/core';
import { bytesOf } from '@lethe/numerics';
import { joinedBytes } from './bytes.js';
import { largestPart } from './frame.js';
import { sha256 } from './sha256.js';

/** Bytes of the name of a piece. */
const nameSize = 32;
const countOf = (size: number): number => Math.ceil(size / largestPart);
const piecesOf = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: countOf(bytes.length) }, (_, k) =>
    bytes.subarray(k * largestPart, (k + 1) * largestPart),
  );

/** Bytes of the names of a point of so many bytes. */
export const namesSize = (size: number): number => nameSize * countOf(size);
/** The names of a point: SHA-256 of each of its pieces, which have 512 KiB but for the last. */
export const namesOf = (point: Uint8Array): Uint8Array => joinedBytes(piecesOf(point).map(sha256));

/**
 * Points that a server sends once to all silos, in place of once to each. A query then has the names of its
 * point, under its tag, and a silo that lacks the point says so and is sent it in the query.
 */
export interface PointsForAll {
  /** Sends a point, unless it is the last one sent. @returns its names. */
  send(point: Vector): Uint8Array;
}

/**
 * Sends each point in pieces to all silos, over any transport.
 *
 * @param publish - Carries a piece to all silos, or loses it; it may keep the memory.
 */
export function pointsForAll(publish: (piece: Uint8Array) => void): PointsForAll {
  let last: { readonly bytes: Uint8Array; readonly names: Uint8Array } | null = null;
  return {
    send(point) {
      const given = bytesOf(point);
      if (last !== null && Buffer.compare(last.bytes, given) === 0) return last.names;
      const bytes = given.slice();
      last = { bytes, names: namesOf(bytes) };
      for (const piece of piecesOf(bytes)) publish(piece);
      return last.names;
    },
  };
}

/** The pieces that came to a silo last: as many as two points have. */
export interface HeardPieces {
  /** Keeps a copy of what may be a piece of a point of so many bytes. Nobody vouches for it. */
  take(piece: Uint8Array, size: number): void;
  /** The point of these names; `null` where a piece is missing. Its memory is shared. */
  find(names: Uint8Array): Uint8Array | null;
}

export function heardPieces(): HeardPieces {
  let kept: readonly { readonly name: Uint8Array; readonly bytes: Uint8Array }[] = [];
  return {
    take(piece, size) {
      const { length } = piece;
      if (length === 0 || (length !== Math.min(size, largestPart) && length !== size % largestPart)) return;
      const bytes = new Uint8Array(piece);
      kept = [...kept, { name: namesOf(bytes), bytes }].slice(-2 * countOf(size));
    },
    find(names) {
      const found: Uint8Array[] = [];
      for (let at = 0; at < names.length; at += nameSize) {
        const name = names.subarray(at, at + nameSize);
        const piece = kept.find((one) => Buffer.compare(one.name, name) === 0);
        if (piece === undefined) return null;
        found.push(piece.bytes);
      }
      return joinedBytes(found);
    },
  };
}
