/** Words under a label, in lines of at most `width` characters as long as words allow. */
export function wrapped(label: string, text: string, width = 110): string {
  const indent = ' '.repeat(label.length);
  const lines = [label];
  for (const word of text.split(/\s+/u).filter((part) => part !== '')) {
    const last = lines.length - 1;
    const longer = `${lines[last]}${lines[last].length === label.length ? '' : ' '}${word}`;
    if (longer.length <= width || lines[last].length === label.length) lines[last] = longer;
    else lines.push(`${indent}${word}`);
  }
  return `${lines.join('\n')}\n`;
}
