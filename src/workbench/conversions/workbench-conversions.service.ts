import { hash as digest } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import type { ReceivedConversion } from '../../measurement/conversions/conversion.entity.js';
import { ConversionsService } from '../../measurement/conversions/conversions.service.js';
import { ManagedAccounts } from './managed-accounts.service.js';
import type { GetReceivedConversion, ListReceivedConversions, SendTestConversion } from './received-conversions.dto.js';

const sha256 = (text: string) => digest('sha256', text, 'hex');

/** The conversions of pixels, for tests: what arrived, what became of it, and conversions of a test itself. */
@Injectable()
export class WorkbenchConversions {
  constructor(
    private readonly accounts: ManagedAccounts,
    private readonly conversions: ConversionsService,
  ) {}

  async list(userId: string, query: ListReceivedConversions): Promise<ReceivedConversion[]> {
    const account = await this.accounts.acting(userId, query.account_id);
    return this.conversions.latest(account, query.max_results);
  }

  async get(userId: string, id: string, query: GetReceivedConversion): Promise<ReceivedConversion> {
    return this.conversions.get(await this.accounts.acting(userId, query.account_id), id);
  }

  /** Stores a conversion as a request to the pixel does. Of a duplicate it returns the first one. */
  async send(
    userId: string,
    params: SendTestConversion,
  ): Promise<{ received: ReceivedConversion; isDuplicate: boolean }> {
    const account = await this.accounts.acting(userId, params.account_id);
    if (account.clockAdvancing) throw clockIsAdvancing(account.id);
    const { account_id: _, twclid, email, phone_number: phone, ...fields } = params;
    const identifiers = [
      ...(twclid ? [{ twclid }] : []),
      ...(email ? [{ hashed_email: sha256(email.trim().toLowerCase()) }] : []),
      ...(phone ? [{ hashed_phone_number: sha256(phone.replace(/[^+\d]/g, '')) }] : []),
    ];
    const sent = { conversion_timestamp: account.now().getTime(), ...fields, identifiers };
    const { ids, stored } = await this.conversions.receiveOne(account, sent);
    const received =
      stored > 0
        ? await this.conversions.get(account, ids[0])
        : await this.conversions.first(account, params.event_id, params.conversion_id!);
    return { received, isDuplicate: stored === 0 };
  }
}
