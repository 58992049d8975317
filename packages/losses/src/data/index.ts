export { csvParser, parseCsv } from './csv.js';
export { designMatrix, type Design, type DesignFacts, type DesignOptions } from './design.js';
export { designSpec, type DesignSpec, type FeatureSpec, type LabelSpec } from './design-spec.js';
export {
  gaussianDesign, logNormalDesign, studentTDesign, syntheticData, syntheticSpec,
  type PopulationFacts, type SyntheticData, type SyntheticOptions, type SyntheticSpec,
} from './generators.js';
export { jsonLinesParser, parseJson } from './json-table.js';
export { drawInto, law, momentsOf, type Law, type LawSpec, type Moments } from './law.js';
export { libsvmParser, parseLibsvm, type LabelledSparseRows, type LibsvmOptions, type SparseRows } from './libsvm.js';
export type { TextParser } from './lines.js';
export type { DataRandom } from './random-source.js';
export { columnOf, tableFrom, type Column, type ColumnType, type MissingPolicy, type Table } from './table.js';
export { tableOptions, type TableOptions } from './table-options.js';
export { parseInstant, timePartOf, type TimePart } from './time.js';
