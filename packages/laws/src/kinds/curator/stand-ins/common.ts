import type { Source, Vector } from '@lethe/core';
import { z } from 'zod';

/** Parameters of plugins that have none. */
export const none = z.strictObject({});
/** Where the stand-ins come from. */
const source: Source = { id: 'lethe', item: 'stand-ins of the laws about curators' };
/** What every stand-in says of itself. */
export const plain = { summary: 'Stand-in of the laws about curators.', source, claims: [] } as const;

/** What a stand-in saw itself do: read a record, draw noise, or have added it to a value. */
export type Deed =
  | { readonly did: 'read' }
  | { readonly did: 'noise'; readonly scale: number; readonly entries: number }
  | { readonly did: 'noised'; readonly before: Vector; readonly after: Vector };
/** Told of every deed, in order. */
export type Watch = (deed: Deed) => void;
