import { LetheError } from '@lethe/core';
import type { Place } from './places.js';

/** Something wrong in a file. */
export interface Mistake {
  readonly file: string;
  /** Where it stands; `null` where it is about no part of the text. */
  readonly place: Place | null;
  /** Path within the file, its parts joined by dots; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** `file:line:column: path: message`, as compilers write it and editors read it. */
export const mistakeText = ({ file, place, path, message }: Mistake): string =>
  [
    place === null ? file : `${file}:${place.line}:${place.column}`,
    ...(path === '' ? [] : [path]),
    message,
  ].join(': ');

/** A part of a value that is wrong, as schemas report it. */
export interface Issue {
  readonly path: readonly string[];
  readonly message: string;
  readonly keys?: readonly string[];
  /** A more exact path for its place in the text. */
  readonly at?: readonly string[];
}

/** What is wrong by a schema; `null` for an error about something else. */
export const issuesOf = (error: unknown): readonly Issue[] | null =>
  error instanceof LetheError && Array.isArray(error.details['issues'])
    ? (error.details['issues'] as readonly Issue[])
    : null;
