import type * as z from 'zod';
import { parseOrThrow } from '@lethe/numerics';
import { deepFreeze, type Json } from '../json.js';
import type { Plugin, Ref } from './plugin.js';

/**
 * The reference of a plugin at parameters.
 * @throws {InvalidParameter} for parameters that it does not take.
 */
export const refer = <P extends Plugin>(
  { kind, name, params }: P,
  input: z.input<P['params']>,
): Ref<P['kind']> =>
  deepFreeze({ kind, name, params: parseOrThrow(params, input, `${kind} '${name}'`) as Json });
