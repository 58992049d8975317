import type { Registry } from '@lethe/core';
import { l2Clip } from './l2-clip.js';

export { l2Clip };

/** The clips. */
export const clips: Registry = Object.freeze([l2Clip]);
