/**
 * Reads the statements that tests have sent (TEST_STATEMENTS) and lists those that read or write rows of an account without
 * naming the account: `node scripts/check-statements.mjs <folder>`. Such a statement could match a row of another account,
 * and it cannot be sent to the one server that has the account's rows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'libpg-query';
import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from '../dist/src/entities.js';

const [folder] = process.argv.slice(2);

/**
 * Who may use which account is asked by user: these two small tables are read across accounts. Writes name their rows by the
 * whole key anyway.
 */
const READ_BY_USER = ['accounts', 'account_memberships'];

/** A snapshot belongs to an application, and has parts of several accounts. */
const OF_SNAPSHOTS = ['snapshot_parts'];

const NOT_OWNED = new Set([...READ_BY_USER, ...OF_SNAPSHOTS]);

/** How the service marks a statement whose rows can belong to any account (src/common/db/query/account-key.ts). */
const OF_ALL_ACCOUNTS = '/* of all accounts */';

/** The columns that name the account of a row, by table: those whose primary key begins with it. */
const OWNED = ownedTables();

function ownedTables() {
  const { tables, columns } = getMetadataArgsStorage();
  const owned = new Map();
  for (const entity of ENTITIES) {
    const { name } = tables.find(({ target }) => target === entity);
    const account = columns.find(
      ({ target, propertyName }) =>
        propertyName === 'accountId' && (target === entity || entity.prototype instanceof target),
    );
    if (account?.options.primary && !NOT_OWNED.has(name)) owned.set(name, 'accountId');
  }
  return owned;
}

/** The relations of one query level, and the columns that an equality of that level binds. */
function checkLevel(relations, conditions, problems) {
  const bound = new Set();
  for (const condition of conditions) boundColumns(condition, relations, bound);
  for (const { table, alias, location } of relations) {
    const column = OWNED.get(table);
    if (column !== undefined && !bound.has(`${alias}.${column}`)) problems.push({ table, location });
  }
}

function boundColumns(node, relations, bound) {
  if (!node) return;
  const { BoolExpr, A_Expr } = node;
  if (BoolExpr?.boolop === 'AND_EXPR') BoolExpr.args.forEach((each) => boundColumns(each, relations, bound));
  if (!A_Expr || A_Expr.name?.[0]?.String?.sval !== '=') return;
  if (!['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN'].includes(A_Expr.kind)) return;
  for (const [side, other] of [
    [A_Expr.lexpr, A_Expr.rexpr],
    [A_Expr.rexpr, A_Expr.lexpr],
  ]) {
    const names = columnOf(side);
    if (!names || !isAccount(other, relations)) continue;
    if (names.length === 2) bound.add(names.join('.'));
    else for (const { alias } of relations) bound.add(`${alias}.${names[0]}`);
  }
}

/** Whether an expression is a value, or the account of a row of an owned table; the columns of a parameter's rows are not. */
function isAccount(node, relations) {
  const names = columnOf(node);
  if (!names) return true;
  if (names.length === 1) return names[0] === 'accountId' || names[0] === 'id';
  const relation = relations.find(({ alias }) => alias === names[0]);
  // a column of an outer query is a value here
  return relation === undefined ? !relations.parameters.has(names[0]) : OWNED.get(relation.table) === names[1];
}

const columnOf = (node) => node?.ColumnRef?.fields.map((field) => field.String?.sval ?? '*');

function visit(node, ctes, problems) {
  if (Array.isArray(node)) return node.forEach((each) => visit(each, ctes, problems));
  if (node === null || typeof node !== 'object') return;
  for (const [kind, value] of Object.entries(node)) {
    if (kind === 'SelectStmt' || kind === 'UpdateStmt' || kind === 'DeleteStmt') visitQuery(value, ctes, problems);
    else if (kind === 'InsertStmt') visitInsert(value, ctes, problems);
    else visit(value, ctes, problems);
  }
}

const inScope = (query, ctes) =>
  new Set([...ctes, ...(query.withClause?.ctes ?? []).map(({ CommonTableExpr }) => CommonTableExpr.ctename)]);

function visitQuery(query, outer, problems) {
  const ctes = inScope(query, outer);
  const relations = Object.assign([], { parameters: new Set() });
  const conditions = [query.whereClause];
  const from = [...(query.fromClause ?? []), ...(query.usingClause ?? [])];
  if (query.relation) from.push({ RangeVar: query.relation });
  for (const each of from) collectFrom(each, ctes, relations, conditions);
  checkLevel(relations, conditions, problems);
  visit(Object.values(query), ctes, problems);
}

function collectFrom(node, ctes, relations, conditions) {
  if (node.RangeVar) {
    const { relname, schemaname, alias } = node.RangeVar;
    if (schemaname === undefined && ctes.has(relname)) return;
    relations.push({ table: relname, alias: alias?.aliasname ?? relname, location: node.RangeVar.location ?? 0 });
  } else if (node.RangeFunction) {
    relations.parameters.add(node.RangeFunction.alias?.aliasname);
  } else if (node.JoinExpr) {
    const { larg, rarg, quals } = node.JoinExpr;
    collectFrom(larg, ctes, relations, conditions);
    collectFrom(rarg, ctes, relations, conditions);
    conditions.push(quals);
  }
}

function visitInsert(query, outer, problems) {
  const ctes = inScope(query, outer);
  const column = OWNED.get(query.relation.relname);
  const target = query.onConflictClause?.infer?.indexElems?.map(({ IndexElem }) => IndexElem.name);
  if (column !== undefined && target && !target.includes(column))
    problems.push({ table: query.relation.relname, location: query.relation.location ?? 0 });
  visit({ ...query, relation: undefined, onConflictClause: undefined }, ctes, problems);
}

const statements = new Set(
  readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ),
);
if (statements.size === 0) throw new Error(`${folder} has no statements`);
const found = new Map();
for (const text of statements) {
  if (text.includes(OF_ALL_ACCOUNTS)) continue;
  const problems = [];
  const { stmts } = await parse(text);
  visit(stmts, new Set(), problems);
  for (const { table, location } of problems) found.set(`${table}: ${excerpt(text, location)}`, text);
}
for (const each of [...found.keys()].sort()) console.log(each);
console.log(`${statements.size} statements, ${found.size} parts without their account`);
process.exitCode = found.size === 0 ? 0 : 1;

/** The text around the name of a table. */
function excerpt(text, location) {
  const around = text.slice(Math.max(0, location - 60), location + 200);
  return around.replace(/\s+/g, ' ').replace(/\$\d+/g, '$');
}
