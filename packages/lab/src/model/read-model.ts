import { modelFrom, type Model } from '@lethe/train';
import type { Json } from '@lethe/core';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';

const largest = 100_000_000;

/** A model of a file. @throws {InvalidParameter} for one that cannot be read, or is no model. */
export const readModel = (path: string): Model =>
  modelFrom(parseJson(readText(path, largest), path) as Json, path);
