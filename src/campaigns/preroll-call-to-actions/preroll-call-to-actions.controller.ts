import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { presentPrerollCallToAction, PrerollCallToActionView } from './preroll-call-to-action.presenter.js';
import {
  CreatePrerollCallToAction,
  ListPrerollCallToActions,
  UpdatePrerollCallToAction,
} from './preroll-call-to-actions.dto.js';
import { PrerollCallToActionsService } from './preroll-call-to-actions.service.js';

@AccountController('preroll_call_to_actions', {
  tag: 'Preroll call to actions',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
})
export class PrerollCallToActionsController {
  constructor(private readonly calls: PrerollCallToActionsService) {}

  /** Lists the call-to-action buttons of in-stream videos, with filters and pagination. */
  @Get()
  @ReturnsPage(PrerollCallToActionView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPrerollCallToActions) {
    return (await this.calls.list(account, query)).map(presentPrerollCallToAction);
  }

  /** Returns a preroll call to action. */
  @Get(':preroll_call_to_action_id')
  @Returns(PrerollCallToActionView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('preroll_call_to_action_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentPrerollCallToAction(await this.calls.get(account, id, query));
  }

  /**
   * Adds a call-to-action button to the in-stream videos of a line item. A line item has at most one. If it already has
   * the same button, returns the existing one unchanged.
   */
  @Post()
  @Returns(PrerollCallToActionView, { status: [200, 201] })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreatePrerollCallToAction) request: Parsed<CreatePrerollCallToAction>,
  ) {
    return (await this.calls.create(account, request)).map(presentPrerollCallToAction);
  }

  /** Changes the label or the URL of the button. */
  @Put(':preroll_call_to_action_id')
  @Returns(PrerollCallToActionView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('preroll_call_to_action_id') id: string,
    @ParsedParams(UpdatePrerollCallToAction) request: Parsed<UpdatePrerollCallToAction>,
  ) {
    return presentPrerollCallToAction(await this.calls.update(account, id, request));
  }

  /** Removes the button. Repeating the call returns 404. */
  @Delete(':preroll_call_to_action_id')
  @Returns(PrerollCallToActionView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('preroll_call_to_action_id') id: string) {
    return presentPrerollCallToAction(await this.calls.delete(account, id));
  }
}
