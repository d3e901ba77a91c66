/** Heights from the lowest to the highest, in Unicode and in ASCII. */
const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PLAIN = ['_', '.', ':', '-', '=', '+', '*', '#'];

/** Maximum number of characters of a sparkline. */
const MAX_WIDTH = 30;

/** Numbers as a line of blocks, or of ASCII characters. The lowest height stands for 0 alone. Long series are averaged. */
export function sparkline(numbers: readonly number[], isUnicode: boolean): string {
  const heights = isUnicode ? BLOCKS : PLAIN;
  const width = Math.ceil(numbers.length / MAX_WIDTH);
  const cells = Array.from({ length: Math.ceil(numbers.length / width) }, (_, i) => {
    const part = numbers.slice(i * width, (i + 1) * width);
    return part.reduce((sum, each) => sum + each, 0) / part.length;
  });
  const highest = Math.max(...cells);
  return cells.map((each) => heights[highest === 0 ? 0 : Math.ceil((each / highest) * (heights.length - 1))]).join('');
}

/** A bar whose length is a share of the highest number. */
export function bar(number: number, highest: number, isUnicode: boolean): string {
  const length = highest === 0 ? 0 : Math.ceil((number / highest) * (MAX_WIDTH / 2));
  return (isUnicode ? '█' : '#').repeat(length);
}
