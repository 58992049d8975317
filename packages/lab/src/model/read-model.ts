import { modelFrom, type Model } from '@lethe/train';
import { InvalidParameter, type Json } from '@lethe/core';
import { isRecordsFile } from '../cli/records-file.js';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';

const largest = 100_000_000;

/** A model of a file. @throws {InvalidParameter} for one that cannot be read, or is no model. */
export function readModel(path: string): Model {
  if (isRecordsFile(path))
    throw new InvalidParameter(
      `${path} is a file of records, where a model comes first: model.json, as lethe train writes it`,
      { path },
    );
  return modelFrom(parseJson(readText(path, largest), path) as Json, path);
}
