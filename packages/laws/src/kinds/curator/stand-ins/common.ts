import type { Source, Vector } from '@lethe/core';
import * as z from 'zod';

/** Parameters of plugins without parameters. */
export const none = z.strictObject({});
/** Source of the fake plugins. */
const source: Source = { id: 'lethe', item: 'stand-ins of the laws about curators' };
/** Common declarations of the fake plugins. */
export const plain = { summary: 'Fake plugin for the laws of curators.', source, claims: [] } as const;

/** An observed action of a fake plugin: reading a record, drawing noise, or having added it. */
export type Action =
  | { readonly did: 'read' }
  | {
      readonly did: 'noise';
      readonly scale: number;
      readonly entries: number;
      /** Of a choice. */
      readonly utilities?: readonly number[];
    }
  | { readonly did: 'noised'; readonly before: Vector; readonly after: Vector };
/** Observer of all actions, in order. */
export type Observer = (action: Action) => void;
