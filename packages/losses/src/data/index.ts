export { csvParser, parseCsv } from './csv.js';
export {
  designMatrix,
  featureMatrix,
  type Design,
  type DesignFacts,
  type DesignOptions,
  type FeatureFacts,
  type FeatureMatrix,
} from './design.js';
export {
  designSpec,
  featuresSpec,
  type DesignSpec,
  type FeaturesSpec,
  type FeatureSpec,
  type LabelSpec,
} from './design-spec.js';
export {
  gaussianDesign,
  logNormalDesign,
  studentTDesign,
  syntheticData,
  type SyntheticData,
  type SyntheticOptions,
} from './generators.js';
export { missedDelimiter } from './delimiters.js';
export { parseIdx, type IdxArray } from './idx.js';
export { jsonLinesParser, parseJson } from './json-table.js';
export {
  drawInto,
  law,
  momentsOf,
  type EntryDistribution,
  type DistributionSpec,
  type Moments,
} from './distribution.js';
export { ownersIn, ownerSpec, type OwnerSpec } from './owners.js';
export { libsvmParser, parseLibsvm, type LabelledSparseRows, type LibsvmOptions } from './libsvm.js';
export type { TextParser } from './lines.js';
export type { PopulationFacts } from './population-facts.js';
export type { DataRandom } from './random-source.js';
export { syntheticSpec, type SyntheticSpec } from './synthetic-spec.js';
export {
  columnOf,
  recordAt,
  tableFrom,
  type Column,
  type ColumnType,
  type MissingPolicy,
  type RecordLine,
  type Table,
} from './table.js';
export { tableFormats, tableOptions, type TableFormat, type TableOptions } from './table-options.js';
export { parseInstant, timePartOf, type TimePart } from './time.js';
export { selectRows } from './select-rows.js';
export { sparseData, type SparseData } from './sparse-data.js';
export { sparseSpec, type SparseSpec } from './sparse-spec.js';
