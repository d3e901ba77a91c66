/** The mistakes that `scripts/mutants.mjs` can make in a file, and the file with a switch for each of them. */
import ts from 'typescript';

/** An operator that a slip of the hand puts in the place of another. */
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** All mistakes that can be made in a file: what stands where is replaced by what. */
export function mutantsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, isOnce) => {
    // types and decorators do nothing that a test of rules could see
    if (ts.isTypeNode(node) || ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
    const replace = (place, by) => found.push({ path, start: place.getStart(), end: place.end, by, isOnce });
    const operator = ts.isBinaryExpression(node) && OPERATORS[node.operatorToken.getText()];
    const isText = (each) => ts.isStringLiteral(each) || ts.isTemplateExpression(each);
    if (operator && !isText(node.left) && !isText(node.right))
      replace(node, `(${node.left.getText()}) ${operator} (${node.right.getText()})`);
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    if (ts.isNumericLiteral(node) && node.parent.name !== node) replace(node, `${node.getText()} + 1`);
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      replace(condition, `!(${condition.getText()})`);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText());
    ts.forEachChild(node, (child) => visit(child, isOnce && !ts.isFunctionLike(node)));
  };
  visit(source, true);
  return found;
}

/** The text between two places with each of the mistakes there behind its switch; an outer one comes before those in it. */
export function withSwitches(text, from, to, [outer, ...others]) {
  if (!outer) return text.slice(from, to);
  const { number, start, end, by } = outer;
  const within = others.filter((each) => each.end <= end);
  const after = others.filter((each) => each.start >= end);
  const right = withSwitches(text, start, end, within);
  return `${text.slice(from, start)}(isMade(${number}) ? (${by}) : (${right}))${withSwitches(text, end, to, after)}`;
}
