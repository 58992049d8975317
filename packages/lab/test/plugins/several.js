import { sampler } from './samplers.js';

const called = sampler('called', 0);

export const one = sampler('one', 0);
/** A plugin beside a reference that it made is tried at the parameters of that. */
export const all = [one, sampler('two', 0), called, called({ parts: 7 })];
export const remark = 'not a plugin';
