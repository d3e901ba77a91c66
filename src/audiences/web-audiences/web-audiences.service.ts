import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { CustomAudienceUsersService } from '../audience-users/custom-audience-users.service.js';
import { MAX_HELD } from '../audience-users/upload.js';
import { MAX_IDENTIFIERS } from '../audience-users/users.readers.js';
import { newAudience } from '../custom-audiences/custom-audience-batch.service.js';
import { CUSTOM_AUDIENCES, CustomAudience } from '../entities/custom-audience.entity.js';

/** A person by the hashes that an upload has. */
export interface Visitor {
  email?: string[];
  phone_number?: string[];
  platform_id?: string[];
}

/** What an audience of a website is made of: a tag of the account. */
interface Source {
  id: string;
  name: string;
}

/** Keeps audiences of type WEB, which requests only read. Their name is that of their source. */
@Injectable()
export class WebAudiencesService {
  constructor(
    private readonly resources: Resources,
    private readonly users: CustomAudienceUsersService,
  ) {}

  /** The audience with this id; undefined if it is deleted. */
  find(account: ActingAccount, id: string): Promise<Row<CustomAudience> | undefined> {
    return rows(account.db, CustomAudience).where('accountId', account.id).where('id', id).getOne();
  }

  async create(account: ActingAccount, source: Source): Promise<Row<CustomAudience>> {
    const name = await this.nameFor(account, source);
    const fields = newAudience(account, { name, description: null, audience_type: 'WEB' });
    return this.resources.create(account, CUSTOM_AUDIENCES, fields);
  }

  isNamedAfter({ name }: Row<CustomAudience>, source: Source): boolean {
    return name === source.name || name === longNameOf(source);
  }

  /** Gives an audience the name of its source, if that has changed. */
  async rename(account: ActingAccount, audience: Row<CustomAudience>, source: Source): Promise<void> {
    if (this.isNamedAfter(audience, source)) return;
    const name = await this.nameFor(account, source);
    await this.resources.update(account, CUSTOM_AUDIENCES, audience.id, { name });
  }

  async delete(account: ActingAccount, id: string): Promise<void> {
    await this.resources.delete(account, CUSTOM_AUDIENCES, id);
  }

  /** Adds people until a time, in as many uploads as they need; those who are in the audience stay until then. */
  async add(account: ActingAccount, audience: Row<CustomAudience>, users: Visitor[], expiresAt: Date): Promise<void> {
    for (const some of uploadsOf(users)) {
      const params = { users: some, expires_at: expiresAt.toISOString() };
      await this.users.addVisitors(account, audience, [{ operation_type: 'Update', params }]);
    }
  }

  /** Names of audiences are unique, those of tags are not. */
  private async nameFor(account: ActingAccount, source: Source): Promise<string> {
    const isTaken = await rows(account.db, CustomAudience)
      .where('accountId', account.id)
      .where('name', source.name)
      .getExists();
    return isTaken ? longNameOf(source) : source.name;
  }
}

/** An upload also holds the other identifiers of the people whom it names. */
const UPLOADED_IDENTIFIERS = MAX_HELD / MAX_IDENTIFIERS;

/** Divides people into uploads, none of which holds too many identifiers. */
function* uploadsOf(people: readonly Visitor[]): Generator<Visitor[]> {
  let [upload, identifiers]: [Visitor[], number] = [[], 0];
  for (const each of people) {
    const count = Object.values(each).flat().length;
    if (identifiers + count > UPLOADED_IDENTIFIERS) {
      yield upload;
      [upload, identifiers] = [[], 0];
    }
    upload.push(each);
    identifiers += count;
  }
  if (upload.length > 0) yield upload;
}

const longNameOf = ({ id, name }: Source): string => `${name} (${id})`;
