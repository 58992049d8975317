/** What is wrong unless there are a model and records, in this order as far as their names tell. */
export function modelFirst(command: string, positionals: readonly string[]): readonly string[] {
  if (positionals.length !== 2) return [`lethe ${command} needs a model and a file of records`];
  const [model, data] = positionals;
  return !isModel(model) && isModel(data) ? [`the model comes first: lethe ${command} ${data} ${model}`] : [];
}

const isModel = (name: string): boolean => /\.json$/iu.test(name);
