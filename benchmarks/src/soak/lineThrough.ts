/** The line of least squares through points, of which there are at least two. */
export function lineThrough(points: ReadonlyArray<readonly [x: number, y: number]>) {
  const meanOf = (pick: 0 | 1) =>
    points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [meanX, meanY] = [meanOf(0), meanOf(1)];
  let [products, squares] = [0, 0];
  for (const [x, y] of points) {
    products += (x - meanX) * (y - meanY);
    squares += (x - meanX) ** 2;
  }
  const slope = products / squares;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  /** Standard error; 0 of two points. */
  const slopeError = Math.sqrt(rest / Math.max(1, points.length - 2) / squares);
  return { slope, slopeError };
}
