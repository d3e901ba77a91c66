import type { Api } from '../support/api.js';
import type { AdsEnvironment } from '../../src/common/http/urls/public-urls.js';
import type { Role } from '../../src/accounts/access/roles.js';
import { KINDS, type Kind } from './kinds.js';
import { ID, unknown, type Problem, type Reading } from './reading.js';
import type { Uploaded } from './uploads.js';

export type Fields = Record<string, unknown>;

/** A resource as the model has it. */
export interface Resource {
  kind: Kind;
  /** Of the service; the model cannot guess it. */
  id: string;
  /** The place in the order of creation. */
  place: number;
  fields: Fields;
  deleted: boolean;
  created_at: string;
  updated_at: string;
}

type Changes = Record<string, { old: unknown; new: unknown }>;

/** One change of the account history. */
export interface Change {
  entity: Kind;
  entity_id: string;
  change_type: 'CREATE' | 'UPDATE' | 'DELETE' | 'PUBLISHED' | 'FAILED' | 'STATUS_CHANGE';
  user_id: string;
  /** Old and new value of each field that changed. */
  changes: Changes;
}

/** Somebody who calls. */
export interface Caller {
  userId: string;
  api: Api;
  mayWrite: boolean;
}

/** Who does something where, and with what kind of resource. */
export interface Acting {
  caller: Caller;
  account: ModelAccount;
  kind: Kind;
}

/** An account of the model, and all that is in it. */
export class ModelAccount {
  readonly resources: Resource[] = [];
  readonly history: Change[] = [];
  readonly roles = new Map<Caller, Role>();
  /** How many campaigns may be active. */
  campaignLimit = 200;
  /** Those of the same business: they may share audiences. */
  partners: ModelAccount[] = [];

  constructor(
    readonly id: string,
    /** The user in whose name it promotes, and whose posts there are. */
    readonly fullUserId: string,
    readonly postIds: readonly string[],
    readonly environment: AdsEnvironment = 'production',
    readonly uploads: readonly Uploaded[] = [],
  ) {}

  /** One to try things in. */
  copy(): ModelAccount {
    const copy = new ModelAccount(this.id, this.fullUserId, this.postIds, this.environment, this.uploads);
    copy.campaignLimit = this.campaignLimit;
    copy.partners = this.partners;
    copy.resources.push(...this.resources.map((each) => ({ ...each })));
    copy.before = this.alive('LINE_ITEM');
    return copy;
  }

  /** Has these resources, and no others. */
  become(resources: readonly Resource[]): void {
    this.resources.splice(0, this.resources.length, ...resources.map((each) => ({ ...each })));
  }

  /** Does what was decided, with an id that nobody knows. */
  imagine(kind: Kind, { of, fields, deletes, exists }: Planned): void {
    if (exists) return;
    const at = of ? this.resources.findIndex(({ id }) => id === of.id) : -1;
    // what was decided before refers to it as it was
    if (at >= 0) this.resources[at] = { ...this.resources[at], ...(deletes ? { deleted: true } : { fields }) };
    else this.add(kind, `imagined${this.resources.length}`, fields);
  }

  add(kind: Kind, id: string, fields: Fields, place = 0): Resource {
    const added: Resource = { kind, id, place, fields, deleted: false, created_at: '', updated_at: '' };
    this.resources.push(added);
    return added;
  }

  /** Something happened to it, perhaps by somebody. */
  record({ kind, id }: Resource, change_type: Change['change_type'], by?: Caller, changes: Changes = {}) {
    const { entity = kind } = KINDS[kind];
    this.history.push({ entity, entity_id: id, change_type, user_id: by?.userId ?? '', changes });
  }

  /** In a batch: what was there before it. */
  private before: Resource[] | undefined;

  /** The line items that say which objective a campaign has: those that a batch deletes are among them. */
  siblings = (campaign: Resource): Resource[] => [
    ...(this.before ?? []).filter(({ fields }) => fields.campaign_id === campaign.id),
    ...this.below('LINE_ITEM', campaign),
  ];

  all = (kind: Kind): Resource[] => this.resources.filter((each) => each.kind === kind);
  alive = (kind: Kind): Resource[] => this.all(kind).filter(({ deleted }) => !deleted);

  /** One that a request can name: neither it nor anything above it is deleted, and it is of the account or shared with it. */
  find(kind: Kind, id: unknown): Resource | undefined {
    const found = this.all(kind).find((each) => each.id === id);
    if (found) return this.isVisible(found) ? found : undefined;
    return kind === 'CUSTOM_AUDIENCE' ? this.shared().find((each) => each.id === id) : undefined;
  }

  /** Audiences of others that it was granted. */
  shared = (): Resource[] =>
    this.partners
      .flatMap((each) => each.alive('CUSTOM_AUDIENCE'))
      .filter((each) => this.levelOf(each) !== undefined)
      .sort((a, b) => a.place - b.place);

  /** All of a kind that it can name, perhaps deleted. */
  known = (kind: Kind): Resource[] => [...(kind === 'CUSTOM_AUDIENCE' ? this.shared() : []), ...this.all(kind)];

  /** What it may do with an audience. */
  levelOf({ id, fields: { owner_account_id } }: Resource): unknown {
    if (owner_account_id === this.id) return 'READ_WRITE';
    const owner = this.partners.find((each) => each.id === owner_account_id);
    const granted = owner
      ?.alive('AUDIENCE_PERMISSION')
      .find(({ fields }) => fields.custom_audience_id === id && fields.granted_account_id === this.id);
    return granted?.fields.permission_level;
  }

  /** What a request for a new one names as its parent, if that is there. */
  readParent(read: Reading, kind: Kind): Resource | undefined {
    const { parent } = KINDS[kind];
    if (!parent) return undefined;
    const { id: name } = KINDS[parent];
    const id = read.one(name, ID);
    const ended = kind === 'CAMPAIGN' ? this.all(parent).find((each) => each.deleted && each.id === id) : undefined;
    const found = ended ?? this.find(parent, id);
    if (ended) read.blame(['INVALID_FUNDING_INSTRUMENT', name]);
    else if (id !== undefined && !found) read.blame(unknown(name));
    return found;
  }

  /** What it disappears with. */
  parentOf({ kind, fields }: Resource): Resource | undefined {
    const { parent } = KINDS[kind];
    // campaigns outlive their funding
    if (!parent || kind === 'CAMPAIGN') return undefined;
    return this.all(parent).find(({ id }) => id === fields[KINDS[parent].id]);
  }

  /** Whether a read without `with_deleted` shows it. */
  isVisible(resource: Resource): boolean {
    const parent = this.parentOf(resource);
    return !resource.deleted && (!parent || this.isVisible(parent));
  }

  below = (kind: Kind, { id, kind: parent }: Resource): Resource[] =>
    this.alive(kind).filter(({ fields }) => fields[KINDS[parent].id] === id);
}

/** What a write does if nothing is wrong with it. */
export interface Planned {
  /** The fields of the resource afterwards, without those that all have. */
  fields: Fields;
  /** What is changed; a new one has nothing here. */
  of?: Resource;
  deletes?: boolean;
  /** Answers with what there is, and changes nothing. */
  exists?: boolean;
}

/** A write, or why it is refused. */
export type Decision = Planned | { problems: Problem[] };

export const isRefused = (decision: Decision): decision is { problems: Problem[] } => 'problems' in decision;
