/** The pure parts of the page against recorded rounds: `node --test tests/table_page`. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { cents, money, signed } from "../../src/croupier/web/static/js/money.js";
import { OPEN, placesOf } from "../../src/croupier/web/static/js/places.js";
import { START, faceOf, mySeats, patched, reduce } from "../../src/croupier/web/static/js/state.js";
import {
  announcement,
  netOf,
  openings,
  raised,
  seatOf,
  seatsOf,
  stakeOf,
} from "../../src/croupier/web/static/js/view.js";
import { offers, standing } from "../../src/croupier/web/static/js/words.js";

const HERE = new URL("recordings/", import.meta.url);
const recordings = readdirSync(HERE).map((name) => ({
  name,
  ...JSON.parse(readFileSync(new URL(name, HERE), "utf8")),
}));
const states = (frames) =>
  frames.reduce((all, frame) => [...all, reduce(all.at(-1), frame)], [START]);

test("there is a recording of every table", () => assert.ok(recordings.length >= 5));

for (const { name, frames, scene, own } of recordings) {
  test(`${name}: the scene is what the server's own patches come to`, () => {
    const last = states(frames).at(-1);
    assert.deepEqual(last.scene, scene);
    assert.deepEqual(last.own, own);
    assert.equal(last.scene.phase, "over");
    assert.ok(last.felt);
  });

  test(`${name}: reduce leaves what it is given alone`, () => {
    let state = START;
    for (const frame of frames) {
      const before = JSON.stringify([state, frame]);
      const after = reduce(state, frame);
      assert.equal(JSON.stringify([state, frame]), before);
      state = after;
    }
    assert.deepEqual(START.scene.seats, {});
  });

  test(`${name}: a card is known when it is shown or one's own, and never before`, () => {
    for (const state of states(frames).filter((one) => one.felt)) {
      const seats = seatsOf(state);
      const cards = [
        ...seats.flatMap((seat) => seat.cards),
        ...placesOf(state).flatMap((one) => one.cards),
      ];
      for (const { position, code } of cards) {
        assert.equal(code, state.scene.faces[position] ?? state.own[position] ?? "");
        assert.equal(code, faceOf(state, position));
      }
    }
  });

  test(`${name}: seats add up, and lines to their net`, () => {
    const last = states(frames).at(-1);
    const mine = mySeats(last);
    assert.deepEqual(mine, [2]);
    const seats = seatsOf(last);
    assert.equal(seats.length, last.felt.seats);
    assert.equal(new Set(seats.map((seat) => seat.seat)).size, last.felt.seats);
    assert.equal(seats.at(-1).seat, 2, "one's own seat ends the order of play");
    for (const seat of seats.filter((one) => one.lines.length)) {
      const sum = seat.lines.reduce(
        (all, line) => all + cents(line.paid) + cents(line.returned) - cents(line.stake),
        0,
      );
      assert.equal(sum - seat.fee, netOf(last, seat.seat));
      for (const line of seat.lines) assert.ok(line.clause && line.because && line.label);
    }
  });

  test(`${name}: a gate holds back cards, faces and results`, () => {
    const last = states(frames).at(-1);
    const shut = { ...OPEN, card: () => false, seat: () => false };
    const seat = seatOf(last, 2, shut);
    assert.ok(seat.cards.length > 0);
    assert.ok(seat.cards.every((card) => card.code === "" && !card.dealt));
    assert.equal(seat.net, null);
    assert.deepEqual(seat.lines, []);
  });

  test(`${name}: it can be said in words`, () => {
    for (const state of states(frames)) {
      const lines = standing(state);
      assert.ok(
        lines.length && lines.every((line) => line && !/undefined|null|NaN/.test(line)),
        lines.join("|"),
      );
      assert.ok(announcement(state));
    }
    assert.equal(offers(states(frames).at(-1)).length, openings(states(frames).at(-1).felt).length);
  });

  test(`${name}: what is missed after a cut comes to the same`, () => {
    const cut = frames.findIndex((frame) => frame.type === "own");
    const [before, after] = [frames.slice(0, cut), frames.slice(cut)];
    const state = states(before).at(-1);
    const v = frames.findLast((frame) => frame.type === "news").v;
    const back = { type: "welcome", you: state.you, scene: null, v, own, clock: null };
    const missed = after.filter((frame) => frame.type === "news");
    const last = [back, ...missed].reduce(reduce, state);
    assert.deepEqual(last.scene, scene);
    assert.deepEqual(last.own, own);
  });
}

test("a new round forgets the own cards of the last one", () => {
  const { frames } = recordings[0];
  const last = states(frames).at(-1);
  assert.ok(Object.keys(last.own).length);
  const next = reduce(last, {
    type: "news",
    v: last.v + 1,
    events: [],
    scene: { round: "x-2" },
    clock: null,
  });
  assert.deepEqual(next.own, {});
});

test("a patch merges by seat and drops what is null", () => {
  const scene = { ...START.scene, boxes: { 1: { a: 1 }, 2: { a: 2 } }, faces: { 3: "As" } };
  const after = patched(scene, { boxes: { 1: null, 3: { a: 3 } }, faces: { 4: "Kd" } });
  assert.deepEqual(after.boxes, { 2: { a: 2 }, 3: { a: 3 } });
  assert.deepEqual(after.faces, { 4: "Kd" });
});

test("purse, refusal and answer", () => {
  const you = { player: "p", name: "P", cents: 5 };
  const state = { ...START, you };
  assert.equal(reduce(state, { type: "purse", cents: 7 }).you.cents, 7);
  assert.equal(reduce(START, { type: "purse", cents: 7 }).you, null);
  const no = reduce(state, { type: "refused", id: "c", code: "x", message: "no", clause: "7.F" });
  assert.deepEqual(no.refusal, { id: "c", code: "x", message: "no", clause: "7.F" });
  assert.equal(reduce(no, { type: "done", id: "c", v: 1 }).refusal, null);
});

test("chips stay within sizes and limits", () => {
  const limited = { sizes: null, limits: ["5.00", "20.00"] };
  assert.equal(raised(limited, 0, 100), 500);
  assert.equal(raised(limited, 500, 500), 1000);
  assert.equal(raised(limited, 1500, 2500), 2000);
  const sized = { sizes: ["1.00", "5.00"], limits: null };
  assert.deepEqual(
    [0, 100, 500].map((now) => raised(sized, now, 2500)),
    [100, 500, 500],
  );
});

test("money", () => {
  assert.deepEqual(["10.00", "-3.50", "0.05"].map(cents), [1000, -350, 5]);
  assert.equal(money(123456), "$1,234.56");
  assert.equal(money(-500), "\u2212$5");
  assert.equal(signed(500), "+$5");
});

test("a bet on several equal spots counts once for its size", () => {
  const many = recordings
    .map(({ frames }) => states(frames).at(-1))
    .flatMap((state) => openings(state.felt).map((wager) => ({ state, wager })))
    .filter(({ wager }) => wager.spots.length > 1);
  assert.ok(many.length > 0);
  for (const { state, wager } of many) {
    const stakes = state.scene.boxes[2].stakes;
    assert.equal(stakeOf(state, 2, wager), cents(stakes[wager.spots[0]][0]));
    assert.ok(wager.spots.every((spot) => stakes[spot]));
  }
});

test("a seat on a shared hand is said with the hand's number, and its cards once", () => {
  const { frames } = recordings.find((one) => one.name === "maryland.json");
  const last = states(frames).at(-1);
  const [seat, ...rest] = Object.keys(last.scene.boxes);
  const shared = { label: "Hands", cards: 6, hands: 2 };
  const boxes = { ...last.scene.boxes, [seat]: { ...last.scene.boxes[seat], hand: 2 } };
  const places = { ...last.scene.places, shared: [0, 1, 2, 3, 4, 5] };
  const faces = { ...last.scene.faces, 3: "As", 4: "Kd", 5: "2c" };
  const felt = { ...last.felt, places: { ...last.felt.places, shared } };
  const lines = standing({ ...last, felt, scene: { ...last.scene, boxes, places, faces } });
  const cards = "ace of spades, king of diamonds, two of clubs";
  assert.ok(lines.includes(`Hand 2: ${cards}.`), lines.join("|"));
  const of = (seat) => lines.find((line) => new RegExp(`eat ${seat}\\b.*:`).test(line));
  assert.match(of(seat), /hand 2\.$/);
  assert.ok(!of(seat).includes(" of "), of(seat));
  assert.ok(rest.every((one) => of(one).includes(" of ")), "others say their own cards");
});
