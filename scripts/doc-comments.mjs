/**
 * The doc comments of classes and of their members, read off the sources: what is written above a field or a method for
 * those who work on it is what its readers outside get to see, and needs no second place to stand.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Every class below `folder` by its name, as `{ comment, members, parent }`. A class that a function makes has the name of the
 * function besides, by which those that extend it call it.
 */
export function readDocComments(folder) {
  const classes = {};
  for (const file of sourcesOf(folder)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
    visit(source, (node, maker) => {
      const name = node.name?.text ?? maker;
      if (name in classes && hasComments(classes[name]))
        throw new Error(`Two classes are called ${name}, one of them in ${file}`);
      classes[name] = describe(node);
      if (maker) classes[`${maker}()`] = classes[name];
    });
  }
  return classes;
}

/** The doc comment of a member of a class, or of what the class extends. */
export function memberComment(classes, name, member) {
  for (let each = classes[name]; each; each = classes[each.parent]) {
    if (each.members[member]) return each.members[member];
  }
  return undefined;
}

const hasComments = ({ members }) => Object.keys(members).length > 0;

const sourcesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

function visit(node, found, maker) {
  if (ts.isClassDeclaration(node)) found(node, maker);
  const inside = ts.isFunctionDeclaration(node) ? node.name?.text : maker;
  ts.forEachChild(node, (child) => visit(child, found, inside));
}

function describe(node) {
  const clause = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const extended = clause?.types[0].expression;
  const members = node.members.flatMap((member) => {
    const isNamed = member.name && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name));
    const comment = isNamed ? commentOf(member) : undefined;
    return comment ? [[member.name.text, comment]] : [];
  });
  return {
    comment: commentOf(node),
    members: Object.fromEntries(members),
    parent:
      extended && ts.isCallExpression(extended) ? `${extended.expression.getText()}()` : extended && extended.getText(),
  };
}

/** The last comment above, as one paragraph. */
function commentOf(node) {
  const comment = node.jsDoc?.at(-1)?.comment;
  return ts.getTextOfJSDocComment(comment)?.replace(/\s+/g, ' ').trim() || undefined;
}
