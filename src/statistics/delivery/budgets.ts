import { isOpenEnd } from '../../campaigns/open-end.js';
import { DAY_MS } from '../../common/time/days.js';
import type { Payable, Payment } from '../../campaigns/spending/delivery-spending.service.js';
import type { ServableCampaign, ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import type { Remaining } from './delivery.model.js';

/** The charge of a line item before on the same local day. */
export interface Charge {
  lineItemId: string;
  campaignId: string;
  amount: number;
}

/** A campaign, and the payment of its funding. */
interface Funded {
  campaign: ServableCampaign;
  payment: Payment;
}

/** The rest of the budgets and the funding while the line items of an account are delivered one after the other. */
export class Budgets {
  private readonly today = new Map<string, number>();
  /** The spend of the campaigns in this hour. */
  private readonly inHour = new Map<string, number>();

  constructor(
    private readonly payable: Payable,
    charged: readonly Charge[],
    private readonly campaigns: ReadonlyMap<string, ServableCampaign>,
  ) {
    for (const { lineItemId, campaignId, amount } of charged) {
      add(this.today, lineItemId, amount);
      add(this.today, campaignId, amount);
    }
  }

  /** The campaign and the payment of a line item; undefined if its funding cannot pay. */
  fundingOf({ campaignId, fundingInstrumentId }: ServableItem): Funded | undefined {
    const [campaign, payment] = [this.campaigns.get(campaignId), this.payable.get(fundingInstrumentId)];
    return campaign && payment && { campaign, payment };
  }

  /**
   * The target spend of a line item on a day. Where line items have the budgets, a total budget alone is spent evenly over the
   * flight, which then has an end. The line items of a campaign divide its budget equally.
   */
  dailyOf(item: ServableItem, campaign: ServableCampaign): number | null {
    if (item.dailyBudgetAmountLocalMicro !== null) return item.dailyBudgetAmountLocalMicro;
    const { items, budgetOptimization, dailyBudgetAmountLocalMicro: ofCampaign } = campaign;
    const hasOwn = budgetOptimization === 'LINE_ITEM' && item.totalBudgetAmountLocalMicro !== null;
    if (ofCampaign !== null && !hasOwn) return Math.ceil(ofCampaign / items);
    const total = item.totalBudgetAmountLocalMicro ?? campaign.totalBudgetAmountLocalMicro;
    if (total === null || isOpenEnd(item.endTime)) return null;
    const divisor = item.totalBudgetAmountLocalMicro === null ? items : 1;
    const days = (new Date(item.endTime).getTime() - new Date(item.startTime).getTime()) / DAY_MS;
    return Math.ceil(total / divisor / Math.max(1, days));
  }

  /** The remaining budgets of a line item. */
  remaining(item: ServableItem, campaign: ServableCampaign): Remaining {
    const { id, campaignId } = item;
    return [
      left(item.totalBudgetAmountLocalMicro, item.spentLocalMicro),
      left(item.dailyBudgetAmountLocalMicro, this.today.get(id) ?? 0),
      left(campaign.totalBudgetAmountLocalMicro, campaign.spentLocalMicro + (this.inHour.get(campaignId) ?? 0)),
      left(campaign.dailyBudgetAmountLocalMicro, this.today.get(campaignId) ?? 0),
      this.payable.get(item.fundingInstrumentId)?.left ?? null,
    ];
  }

  /** Subtracts what a line item is charged. */
  charge({ id, campaignId, fundingInstrumentId }: ServableItem, amount: number): void {
    add(this.today, id, amount);
    add(this.today, campaignId, amount);
    add(this.inHour, campaignId, amount);
    const payment = this.payable.get(fundingInstrumentId);
    if (payment) payment.left -= amount;
  }
}

const left = (limit: number | null, spent: number): number | null =>
  limit === null ? null : Math.max(0, limit - spent);

const add = (sums: Map<string, number>, key: string, amount: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + amount);
