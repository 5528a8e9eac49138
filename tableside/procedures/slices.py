"""The states of all procedures, side by side, as one part of the table's state."""

from __future__ import annotations

import msgspec

from tableside.procedures.advice_slice import AdviceSlice
from tableside.procedures.batch_slice import BatchSlice
from tableside.procedures.blackjack_slice import BlackjackSlice
from tableside.procedures.card_change import CardChangeSlice
from tableside.procedures.card_identities import IdentitySlice
from tableside.procedures.card_readers import ReaderSlice
from tableside.procedures.complaints import ComplaintSlice
from tableside.procedures.counts import CountSlice
from tableside.procedures.damaged import DamagedSlice
from tableside.procedures.deal_test_slice import DealTestSlice
from tableside.procedures.defect_slice import DefectSlice
from tableside.procedures.device_faults import FaultSlice
from tableside.procedures.difference_slice import DifferenceSlice
from tableside.procedures.empty import EmptySlice
from tableside.procedures.enrolment_slice import EnrolmentSlice
from tableside.procedures.hand_shoe_slice import HandShoeSlice
from tableside.procedures.held_cards import HeldCardsSlice
from tableside.procedures.jackpot_bets import BetSlice
from tableside.procedures.jackpot_slice import JackpotSlice, LedgerSlice
from tableside.procedures.jams import JamSlice
from tableside.procedures.lid import LidSlice
from tableside.procedures.load_slice import LoadSlice
from tableside.procedures.manual import ManualSlice
from tableside.procedures.opening import OpeningSlice
from tableside.procedures.people import PeopleSlice
from tableside.procedures.reload import ReloadSlice
from tableside.procedures.round_slice import RoundSlice
from tableside.procedures.rounds_sensed_slice import SensedSlice
from tableside.procedures.self_tests import SelfTestSlice
from tableside.procedures.session import SessionSlice
from tableside.procedures.shoe_slice import ShoeSlice
from tableside.procedures.sort import SortSlice
from tableside.procedures.swap_slice import SwapSlice
from tableside.procedures.unload_slice import UnloadSlice
from tableside.work_orders import WorkOrderSlice


class Procedures(msgspec.Struct, frozen=True):
    """One field a procedure, named as its file."""

    session: SessionSlice = SessionSlice()
    opening: OpeningSlice = OpeningSlice()
    empty: EmptySlice = EmptySlice()
    load: LoadSlice = LoadSlice()
    unload: UnloadSlice = UnloadSlice()
    sort: SortSlice = SortSlice()
    card_change: CardChangeSlice = CardChangeSlice()
    reload: ReloadSlice = ReloadSlice()
    swap: SwapSlice = SwapSlice()
    rounds: RoundSlice = RoundSlice()
    rounds_sensed: SensedSlice = SensedSlice()
    counts: CountSlice = CountSlice()
    differences: DifferenceSlice = DifferenceSlice()
    device_faults: FaultSlice = FaultSlice()
    lid: LidSlice = LidSlice()
    jams: JamSlice = JamSlice()
    damaged: DamagedSlice = DamagedSlice()
    complaints: ComplaintSlice = ComplaintSlice()
    people: PeopleSlice = PeopleSlice()
    held_cards: HeldCardsSlice = HeldCardsSlice()
    jackpot_bets: BetSlice = BetSlice()
    shoe: ShoeSlice = ShoeSlice()
    card_readers: ReaderSlice = ReaderSlice()
    card_identities: IdentitySlice = IdentitySlice()
    jackpot: JackpotSlice = JackpotSlice()
    jackpot_ledger: LedgerSlice = LedgerSlice()
    batch: BatchSlice = BatchSlice()
    blackjack: BlackjackSlice = BlackjackSlice()
    advised: AdviceSlice = AdviceSlice()
    hand_shoe: HandShoeSlice = HandShoeSlice()
    defects: DefectSlice = DefectSlice()
    manual: ManualSlice = ManualSlice()
    enrolment: EnrolmentSlice = EnrolmentSlice()
    work_orders: WorkOrderSlice = WorkOrderSlice()
    self_tests: SelfTestSlice = SelfTestSlice()
    deal_tests: DealTestSlice = DealTestSlice()
