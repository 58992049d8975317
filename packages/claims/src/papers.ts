import { coordinateDescent } from './coordinate-descent/paper.js';
import { heavyTails } from './heavy-tails/paper.js';
import type { Paper } from './paper.js';

/** The shipped papers. A new paper is one entry. */
export const papers: readonly Paper[] = Object.freeze([heavyTails, coordinateDescent]);
