export * from './decode.js';
export { createScratch, encode, encodeInto, ensureRoom, type Scratch } from './encode.js';
